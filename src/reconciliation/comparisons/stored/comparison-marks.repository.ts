import {
  customersWithOlderRows,
  type CustomersWithOlderRows,
  type OlderRow,
} from '../../../database/transaction/older-rows';
import { isPlatformName, type PlatformName } from '@app/mapper';
import type { CustomerTransaction, Store } from '../../../database/transaction/store';
import { timeText } from '../../../database/transaction/time-text';
import type { ComparisonContext } from './comparison-context.repository';

/**
 * A finished refresh, identified by its mark: the time up to which it included all changes. The rows that were in force
 * at the mark are right for any time with the same terms, except those of objects that changed between that time and
 * the refresh: between `mark` and `readUntil`, or between one of these and the time.
 */
export interface ComparisonMark {
  /** In UTC, with microseconds, as all times of a mark. */
  readonly mark: string;
  /** No later change is in what the refresh read. */
  readonly readUntil: string;
  /** The {@link ComparisonContext.termsDigest} with which objects were compared. */
  readonly termsDigest: string;
  /** The currency of each platform that was connected. */
  readonly currencies: ReadonlyMap<PlatformName, string>;
}

// The refresh is finished if nothing is left to compare, with the terms that it began with.
const finishSql = `
  insert into comparison_marks (customer_id, mark, read_until, terms, currencies)
  select s.customer_id, s.changed_until, clock_timestamp(), $3, $4::json from comparison_states s
  where s.customer_id = $1 and s.fingerprint = $2 and s.walked is null
    and not exists (select from stale_comparisons o where o.customer_id = $1)
  on conflict do nothing`;

/**
 * Records that the refresh of the present mark is finished, if it is. The caller's transaction holds the lease.
 *
 * @returns whether it was recorded
 */
export async function markFinished(
  tx: CustomerTransaction,
  { fingerprint, termsDigest, currencies }: ComparisonContext,
): Promise<boolean> {
  const marks = JSON.stringify(Object.fromEntries(currencies));
  return (await tx.execute(finishSql, [fingerprint, termsDigest, marks])) > 0;
}

// A release from before versions were kept may have worked on the customer in between: its rows have no begin.
const forgetSql = `
  delete from comparison_marks m using comparison_states s
  where s.customer_id = $1 and m.customer_id = $1 and ($2 or m.mark >= s.changed_until or exists (
    select from comparisons c where c.customer_id = $1 and c.valid_from is null))`;

/**
 * Deletes the marks that a new comparison of all objects makes untrue: its own, if an earlier refresh had the same, and
 * all if not every row of theirs was kept.
 *
 * @param all whether there were no comparisons before
 */
export async function forgetMarks(tx: CustomerTransaction, all: boolean): Promise<void> {
  await tx.query(forgetSql, [all]);
}

const around = `
  select ${timeText('m.mark')} as mark, ${timeText('m.read_until')} as read_until, m.terms, m.currencies
  from (
    (select * from comparison_marks b where b.customer_id = $1 and b.mark <= $2::timestamptz order by b.mark desc limit 1)
    union all
    (select * from comparison_marks a where a.customer_id = $1 and a.mark > $2::timestamptz order by a.mark limit 1)
  ) m order by m.mark`;

/** The last mark that is not after a time, and the first one after it, as far as there are such. */
export async function marksAround(tx: CustomerTransaction, time: string): Promise<readonly ComparisonMark[]> {
  const rows = await tx.query<{
    mark: string;
    read_until: string;
    terms: string;
    currencies: Readonly<Record<string, string>>;
  }>(around, [time]);
  return rows.map(({ mark, read_until: readUntil, terms: termsDigest, currencies }) => ({
    mark,
    readUntil,
    termsDigest,
    currencies: new Map(
      Object.entries(currencies).flatMap(([platform, currency]): [PlatformName, string][] =>
        isPlatformName(platform) ? [[platform, currency]] : [],
      ),
    ),
  }));
}

// The last mark before the time stays.
const hasLaterOne =
  'exists (select 1 from comparison_marks l where l.customer_id = r.customer_id and l.mark > r.mark and l.mark < $1)';

/** The last mark, in UTC with microseconds; undefined before the first refresh is finished. */
export async function lastMarkOf(tx: CustomerTransaction): Promise<string | undefined> {
  const [row] = await tx.query<{ mark: string }>(
    `select ${timeText('m.mark')} as mark from comparison_marks m where m.customer_id = $1 order by m.mark desc limit 1`,
  );
  return row?.mark;
}

/** A page of customers with marks that {@link deleteOldMarks} would delete. Reads across customers. */
export function customersWithMarksBefore(
  store: Store,
  before: Date,
  after?: OlderRow,
): Promise<CustomersWithOlderRows> {
  return customersWithOlderRows(
    store,
    { table: 'comparison_marks', time: 'mark', condition: hasLaterOne },
    before,
    after,
  );
}

/** Deletes marks before a time, except the last of them, `most` at a time. @returns how many */
export function deleteOldMarks(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
  return tx.execute(
    `delete from comparison_marks m using (
       select o.mark from comparison_marks o
       where o.customer_id = $1 and o.mark < (
         select max(l.mark) from comparison_marks l where l.customer_id = $1 and l.mark < $2)
       order by o.mark limit $3
     ) old
     where m.customer_id = $1 and m.mark = old.mark`,
    [before, most],
  );
}
