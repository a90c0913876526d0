import type { ReactNode } from 'react';
import { Table, type Column } from './table';

/** A field, and what each side says of it. */
export interface FieldRow {
  readonly field: string;
  /** By the name of the side; undefined where it says nothing. */
  readonly values: Readonly<Record<string, ReactNode>>;
  /** Whether the sides agree; null if only one of them has a value. */
  readonly same: boolean | null;
}

interface DiffTableProps {
  readonly caption: string;
  /** The sides, from the left. */
  readonly sides: readonly string[];
  readonly rows: readonly FieldRow[];
}

const marks = { same: ['=', 'the same'], other: ['≠', 'differs'], alone: ['·', 'one side only'] } as const;

/** Two or more records side by side, field by field. Whether they agree is a mark and a word, not a colour alone. */
export function DiffTable({ caption, sides, rows }: DiffTableProps): ReactNode {
  const columns: Column<FieldRow>[] = [
    { name: 'Field', cell: ({ field }) => field, isHead: true },
    ...sides.map((side): Column<FieldRow> => ({ name: side, cell: ({ values }) => values[side] ?? '–' })),
    { name: 'Compared', cell: ({ same }) => <Mark same={same} /> },
  ];
  return (
    <Table caption={caption} label={caption} columns={columns} rows={rows} keyOf={({ field }) => field} />
  );
}

function Mark({ same }: { readonly same: boolean | null }): ReactNode {
  const name = same === null ? 'alone' : same ? 'same' : 'other';
  const [mark, words] = marks[name];
  return (
    <span className={`mark ${name}`}>
      <span aria-hidden="true">{mark}</span> {words}
    </span>
  );
}
