import type { components } from '@app/client';
import type { ReactNode } from 'react';
import { Table } from '../parts/tables/table';

type LossReport = components['schemas']['LossReportResponse'];
export type SourceField = LossReport['source'][number];

const outcomes = {
  lost: ['✕', 'lost'],
  kept: ['○', 'kept aside'],
  derived: ['◐', 'derived'],
  mapped: ['●', 'mapped'],
} as const satisfies Record<SourceField['outcome'], readonly [mark: string, words: string]>;
const order = Object.keys(outcomes);

interface ReportProps {
  readonly report: LossReport;
  /** With the row under the pointer or the focus: its places are marked above. */
  readonly onLook: (row: SourceField) => void;
}

/** What became of each field of the source, what is lost first. */
export function Report({ report, onLook }: ReportProps): ReactNode {
  const rows = report.source.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome));
  const { mapped, derived, kept, lost } = report.values;
  const look = (target: EventTarget): void => {
    const row = target instanceof Element ? target.closest('tbody > tr') : null;
    const found = row instanceof HTMLTableRowElement ? rows[row.sectionRowIndex] : undefined;
    if (found !== undefined) onLook(found);
  };
  return (
    <section
      className="card"
      aria-label="Report"
      // Not `over`: a page that scrolls to the focus moves rows under a pointer that rests.
      onPointerMove={({ target }) => look(target)}
      onFocus={({ target }) => look(target)}
    >
      <h2>Report</h2>
      <p>
        Of the values: {mapped} mapped, {derived} derived, {kept} kept aside, <strong>{lost} lost</strong>.
        The row under the pointer or the focus is marked in the texts above.
      </p>
      <Table
        caption="What became of each field"
        label="Fields of the report"
        columns={[
          { name: 'Source', cell: sourceCell, isHead: true },
          { name: 'Outcome', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
          { name: 'Canonical', cell: ({ fields }) => <code>{fields?.join(', ') ?? '–'}</code> },
          { name: 'Target', cell: ({ target_paths: paths }) => <code>{paths?.join(', ') ?? '–'}</code> },
          { name: 'Why', cell: ({ reason }) => <div className="titled">{reason}</div> },
        ]}
        rows={rows}
        keyOf={({ path }) => path}
        empty="The record has no fields."
      />
    </section>
  );
}

/** A control, so that each row can be reached by keyboard. */
function sourceCell({ path }: SourceField): ReactNode {
  return (
    <button type="button" className="plain">
      <code>{path}</code>
      <span className="hidden">: mark it above</span>
    </button>
  );
}

function Outcome({ outcome }: { readonly outcome: SourceField['outcome'] }): ReactNode {
  const [mark, words] = outcomes[outcome];
  return (
    <span className={`mark ${outcome}`}>
      <span aria-hidden="true">{mark}</span> {words}
    </span>
  );
}
