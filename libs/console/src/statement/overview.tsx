import type { ReactNode } from 'react';
import type { ReadStatement } from '../data/queries';
import { typeWords } from '../parts/words/type-words';
import { Money } from '../parts/values/money';
import { countText } from '../parts/values/money-text';
import { Table, type Column } from '../parts/tables/table';
import { StatusMark } from '../parts/values/status-mark';
import { footingOf, type Footing } from './figures/footing';
import type { Oldest } from './use-oldest';
import { openObjects, agreementOf } from './statement-words';

type TypeRow = ReadStatement['types'][number] & { readonly footing: Footing | undefined };

interface OverviewProps {
  readonly statement: ReadStatement;
  readonly oldest: Oldest;
}

/** Every type in a line: what is open, how far the sums are apart, and whether that ties out. */
export function Overview({ statement, oldest }: OverviewProps): ReactNode {
  const { currency, complete, platforms } = statement;
  const rows = statement.types.map((type): TypeRow => ({
    ...type,
    footing: type.totals === null ? undefined : footingOf(type.totals),
  }));
  const columns: readonly Column<TypeRow>[] = [
    { name: 'Type', cell: ({ entity_type: name }) => typeWords[name], isHead: true },
    { name: 'Agree', cell: ({ counts }) => countText(counts.agree), isNumber: true },
    { name: 'Open', cell: ({ counts }) => countText(openObjects(counts)), isNumber: true },
    ...(['from', 'to'] as const).map((side, place): Column<TypeRow> => ({
      name: `Sum on ${platforms[place] ?? ''}`,
      cell: ({ totals }) => (totals === null ? '–' : <Money of={totals[side].sum} bare />),
      isNumber: true,
    })),
    {
      name: 'Difference',
      cell: ({ footing }) =>
        footing?.foots ? <Money of={{ amount: footing.difference, currency }} sign="always" bare /> : '–',
      isNumber: true,
    },
    { name: 'Verdict', cell: (row) => <StatusMark status={statusOf(row, complete)} /> },
  ];
  return (
    <section className="card" aria-labelledby="overview">
      <h2 id="overview">Overview</h2>
      <Table
        caption={`All types, amounts in ${currency}`}
        label="Overview of all types"
        columns={columns}
        rows={rows}
        keyOf={({ entity_type: name }) => name}
      />
      {/* Its place is kept until it is known. */}
      <p>Oldest open item: {oldestText(oldest)}</p>
    </section>
  );
}

function oldestText(oldest: Oldest): string {
  if (oldest === undefined) return '…';
  return typeof oldest === 'number' ? daysText(oldest) : oldest;
}

function daysText(days: number): string {
  return `${countText(days)} ${days === 1 ? 'day' : 'days'}`;
}

function statusOf(
  { totals, counts, footing }: TypeRow,
  complete: boolean,
): Parameters<typeof StatusMark>[0]['status'] {
  if (footing !== undefined && !footing.foots) return { state: 'open', words: 'Does not foot' };
  return agreementOf({ totals, counts }, footing?.difference ?? 0n, complete);
}
