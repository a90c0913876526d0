import { Instant } from '../parts/values/instant';
import type { Column } from '../parts/tables/table';

interface Agreed {
  readonly reason: string | null;
  readonly decided_by: string | null;
}

/** Since when a term holds, who agreed to it, and why. */
export function whyColumns<Row extends Agreed>(sinceOf: (row: Row) => string | null): readonly Column<Row>[] {
  return [
    {
      name: 'Since',
      cell: (row) => {
        const since = sinceOf(row);
        return since === null ? <span className="unbroken">by default</span> : <Instant at={since} />;
      },
    },
    { name: 'Decided by', cell: ({ decided_by: by }) => <span className="name">{by ?? '–'}</span> },
    { name: 'Reason', cell: ({ reason }) => <span className="name">{reason ?? '–'}</span> },
  ];
}
