import type { CustomerTransaction } from '../../database/transaction/store';
import { noteCounted } from './comparison-states.repository';

/**
 * What cases are counted by, as lists without a day up to which documents count choose among them. Empty text stands for null,
 * so that a key has no nulls.
 */
export const countedBy = [
  'left_platform',
  'right_platform',
  'kind',
  'entity_type',
  'platform',
  'field',
  'project_id',
  'left_currency',
  'right_currency',
] as const;

/** A case, by what it is counted by. */
export type CountedCase = Readonly<Record<(typeof countedBy)[number], string>> & {
  /** The database's text of the hour in which it was opened. */
  readonly opened_hour: string;
  /** Whether it is counted. */
  readonly is_listed: boolean;
};

/** The length of the span of time that one count is of, in milliseconds. Spans begin with the hours of UTC. */
export const COUNTED_MS = 3_600_000;

/** SQL for the beginning of the hour of a time. */
const hourOf = (time: string): string =>
  `date_bin(interval '1 hour', ${time}, timestamptz '2000-01-01 00:00:00+00')`;

const keys = countedBy.join(', ');
const keysOfCase = countedBy.map((column) => `coalesce(${column}, '') as ${column}`).join(', ');

/** SQL for the columns of a {@link CountedCase}, of a case without an alias. */
export const countedColumns = `${keysOfCase}, ${hourOf('opened_at')}::text as opened_hour,
    listed_before is null as is_listed`;

/** SQL for counts of open cases: a relation with the columns of a case that lists choose by. `$1` is the customer. */
export const countsOfCases = `(
    select n.customer_id, n.left_platform, n.right_platform, n.kind, n.entity_type, nullif(n.platform, '') as platform,
      nullif(n.field, '') as field, nullif(n.project_id, '') as project_id, nullif(n.left_currency, '') as left_currency,
      nullif(n.right_currency, '') as right_currency, n.opened_hour as opened_at, null::date as listed_before, n.cases
    from case_counts n where n.customer_id = $1)`;

const changeSql = `
  insert into case_counts (customer_id, ${keys}, opened_hour, cases)
  select $1::uuid, n.* from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::timestamptz[], $12::int[]) n
  on conflict (customer_id, ${keys}, opened_hour) do update set cases = case_counts.cases + excluded.cases`;

/** Lets the counts follow a write of cases, within its transaction, which holds the lease. */
export async function changeCounts(
  tx: CustomerTransaction,
  { removed, added }: { readonly removed: readonly CountedCase[]; readonly added: readonly CountedCase[] },
): Promise<void> {
  const changes = new Map<string, { readonly key: CountedCase; cases: number }>();
  const count = (by: 1 | -1, cases: readonly CountedCase[]): void => {
    for (const key of cases) {
      if (!key.is_listed) continue;
      const text = JSON.stringify([...countedBy.map((column) => key[column]), key.opened_hour]);
      const known = changes.get(text);
      if (known === undefined) changes.set(text, { key, cases: by });
      else known.cases += by;
    }
  };
  count(-1, removed);
  count(1, added);
  const rows = [...changes.values()].filter(({ cases }) => cases !== 0);
  if (rows.length === 0) return;
  await tx.query(changeSql, [
    ...countedBy.map((column) => rows.map(({ key }) => key[column])),
    rows.map(({ key }) => key.opened_hour),
    rows.map(({ cases }) => cases),
  ]);
}

/** Counts all cases of the customer anew, within the caller's transaction, which holds the lease. */
export async function recount(tx: CustomerTransaction): Promise<void> {
  await tx.query('delete from case_counts where customer_id = $1');
  await tx.query(`
    insert into case_counts (customer_id, ${keys}, opened_hour, cases)
    select c.customer_id, ${keys}, opened_hour, count(*) from (
      select customer_id, ${keysOfCase}, ${hourOf('opened_at')} as opened_hour
      from comparison_cases where customer_id = $1 and listed_before is null
    ) c group by c.customer_id, ${keys}, opened_hour`);
  await noteCounted(tx);
}

/** Removes counts of which no case is left. */
export async function removeEmptyCounts(tx: CustomerTransaction): Promise<void> {
  await tx.query('delete from case_counts where customer_id = $1 and cases = 0');
}
