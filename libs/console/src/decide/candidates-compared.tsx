import { useState, type ReactNode } from 'react';
import type { CaseDetail } from '../data/cases';
import type { RecordName } from '../data/decisions';
import { Table, type Column } from '../parts/tables/table';
import { SameMark } from '../parts/values/same-mark';
import { nameOf } from '../parts/words/decision-words';
import { fieldWords } from '../parts/words/object-words';
import { candidateFields, isCompared, type CandidateField } from './candidate-fields';
import { Written } from './compared';
import { isSameRecord } from './queue';

type Candidate = CaseDetail['candidates'][number];

interface CandidatesComparedProps {
  /** The record of the case. */
  readonly own: RecordName;
  readonly candidates: readonly Candidate[];
  readonly chosen: RecordName | undefined;
}

/** Candidates that fit side by side. */
const AT_ONCE = 3;

/** The record of a case beside its candidates, some at a time: those around the chosen one, until the person goes on. */
export function CandidatesCompared({ own, candidates, chosen }: CandidatesComparedProps): ReactNode {
  const place = candidates.findIndex((each) => chosen !== undefined && isSameRecord(each, chosen));
  const around = Math.max(0, Math.floor(place / AT_ONCE)) * AT_ONCE;
  const [moved, setMoved] = useState<{ readonly around: number; readonly first: number }>();
  const first = moved?.around === around ? moved.first : around;
  const shown = candidates.slice(first, first + AT_ONCE);
  const show = (next: number) => (): void => setMoved({ around, first: next });
  const columns: readonly Column<CandidateField>[] = [
    { name: 'Field', cell: ({ field }) => fieldWords(field), isHead: true },
    { name: nameOf(own), cell: (row) => <Written value={row.own} /> },
    ...shown.map((candidate, index): Column<CandidateField> => ({
      name: `${first + index + 1}: ${nameOf(candidate)}`,
      isChosen: first + index === place,
      cell: ({ sides }) => <Side of={sides[index]} />,
    })),
  ];
  const fields = candidateFields(own.platform, shown);
  const both = fields.filter(isCompared);
  const alone = fields.filter((field) => !isCompared(field));
  return (
    <section className="card" aria-label="Candidates side by side">
      {candidates.length > AT_ONCE && (
        <div className="actions">
          <button type="button" disabled={first === 0} onClick={show(first - AT_ONCE)}>
            Candidates before
          </button>
          <span role="status">
            {first + 1}–{first + shown.length} of {candidates.length}
          </span>
          <button
            type="button"
            disabled={first + AT_ONCE >= candidates.length}
            onClick={show(first + AT_ONCE)}
          >
            Further candidates
          </button>
        </div>
      )}
      <FieldTable caption="Fields that were compared" columns={columns} rows={both} />
      {alone.length > 0 && (
        <details>
          <summary>All fields: {alone.length} more, which one side has alone</summary>
          <FieldTable caption="Fields that one side has alone" columns={columns} rows={alone} />
        </details>
      )}
    </section>
  );
}

interface FieldTableProps {
  readonly caption: string;
  readonly columns: readonly Column<CandidateField>[];
  readonly rows: readonly CandidateField[];
}

function FieldTable({ caption, columns, rows }: FieldTableProps): ReactNode {
  return (
    <Table
      caption={caption}
      label={caption}
      columns={columns}
      rows={rows}
      keyOf={({ field }) => field}
      empty="No field is there on both sides."
    />
  );
}

function Side({ of }: { readonly of: CandidateField['sides'][number] | undefined }): ReactNode {
  if (of?.value === undefined) return '–';
  return (
    <>
      <Written value={of.value} />
      <div className="quiet">
        <SameMark same={of.same} />
      </div>
    </>
  );
}
