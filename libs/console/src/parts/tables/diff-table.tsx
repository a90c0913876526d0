import type { ReactNode } from 'react';
import { SameMark } from '../values/same-mark';
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

/** Two or more records side by side, field by field. Whether they agree is a mark and a word, not a colour alone. */
export function DiffTable({ caption, sides, rows }: DiffTableProps): ReactNode {
  const columns: Column<FieldRow>[] = [
    { name: 'Field', cell: ({ field }) => field, isHead: true },
    ...sides.map((side): Column<FieldRow> => ({ name: side, cell: ({ values }) => values[side] ?? '–' })),
    // One record alone is compared with nothing.
    ...(sides.length > 1
      ? [{ name: 'Compared', cell: ({ same }: FieldRow) => <SameMark same={same} /> }]
      : []),
  ];
  return (
    <Table caption={caption} label={caption} columns={columns} rows={rows} keyOf={({ field }) => field} />
  );
}
