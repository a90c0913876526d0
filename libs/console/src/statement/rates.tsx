import type { ReactNode } from 'react';
import type { ReadStatement } from '../data/queries';
import { Instant } from '../parts/values/instant';
import { quotesText, sourceWords } from '../parts/words/rate-text';
import { Table } from '../parts/tables/table';

/** The rates by which amounts were converted: with them a reader can do it again. */
export function Rates({ statement }: { readonly statement: ReadStatement }): ReactNode {
  if (statement.rates.length === 0) return null;
  return (
    <section className="card">
      <h2>Rates</h2>
      <Table
        caption="How amounts were converted"
        label="Rates"
        columns={[
          { name: 'Pair', cell: ({ from, to }) => `${from} to ${to}`, isHead: true },
          { name: 'Quoted', cell: quotesText },
          { name: 'Source', cell: ({ source }) => sourceWords[source] },
          { name: 'Through', cell: ({ via }) => via ?? '–' },
          { name: 'Agreed', cell: ({ set_at: at }) => (at === null ? '–' : <Instant at={at} />) },
        ]}
        rows={statement.rates}
        keyOf={({ from, to }) => `${from} ${to}`}
      />
    </section>
  );
}
