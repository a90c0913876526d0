import type { components } from '@app/client';
import type { ReactNode } from 'react';
import { Table } from '../parts/tables/table';

type LossReport = components['schemas']['LossReportAnswer'];
type SourceField = LossReport['source'][number];

const outcomes = {
  lost: ['✕', 'lost'],
  kept: ['○', 'kept aside'],
  derived: ['◐', 'derived'],
  mapped: ['●', 'mapped'],
} as const satisfies Record<SourceField['outcome'], readonly [mark: string, words: string]>;
const order = Object.keys(outcomes);

/** What became of each field of the source, what is lost first. */
export function Report({ report }: { readonly report: LossReport }): ReactNode {
  const rows = report.source.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome));
  const { mapped, derived, kept, lost } = report.values;
  return (
    <section className="card">
      <h2>Report</h2>
      <p>
        Of the values: {mapped} mapped, {derived} derived, {kept} kept aside, <strong>{lost} lost</strong>.
      </p>
      <Table
        caption="What became of each field"
        label="Report"
        columns={[
          { name: 'Source', cell: ({ path }) => <code>{path}</code>, isHead: true },
          { name: 'Outcome', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
          { name: 'Canonical', cell: ({ fields }) => <code>{fields?.join(', ') ?? '–'}</code> },
          { name: 'Target', cell: ({ target_paths: paths }) => <code>{paths?.join(', ') ?? '–'}</code> },
          { name: 'Why', cell: ({ reason }) => reason },
        ]}
        rows={rows}
        keyOf={({ path }) => path}
        empty="The record has no fields."
      />
    </section>
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
