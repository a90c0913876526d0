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
  'owner',
] as const;

/** A case, by what it is counted by. */
export type CountedCase = Readonly<Record<(typeof countedBy)[number], string>> & {
  /** The database's text of the hour in which it was opened. */
  readonly opened_hour: string;
  readonly is_accepted: boolean;
  /** The database's text of the time at which the acceptance ends; `infinity` for never. */
  readonly accepted_until: string;
  /** Whether it is counted. */
  readonly is_listed: boolean;
};

/** The length of the span of time that one count is of, in milliseconds. Spans begin with the hours of UTC. */
export const COUNTED_MS = 3_600_000;

/** SQL for the beginning of the hour of a time. */
const hourOf = (time: string): string =>
  `date_bin(interval '1 hour', ${time}, timestamptz '2000-01-01 00:00:00+00')`;

const keys = [...countedBy, 'opened_hour', 'is_accepted', 'accepted_until'].join(', ');
const keysOf = (alias: string, type: 'text' | 'timestamptz'): string => `
    ${countedBy.map((column) => `coalesce(${alias}.${column}, '') as ${column}`).join(', ')},
    ${hourOf(`${alias}.opened_at`)}::${type} as opened_hour, ${alias}.is_accepted,
    coalesce(${alias}.accepted_until, 'infinity')::${type} as accepted_until`;

/** SQL for the columns of a {@link CountedCase}, of a case of an alias. */
export const countedColumns = (alias: string): string =>
  `${keysOf(alias, 'text')}, ${alias}.listed_before is null as is_listed`;

/**
 * SQL for counts of open cases: a relation with the columns of a case that lists choose by. `$1` is the customer.
 *
 * @param at the parameter that holds the time at which acceptances count
 */
export const countsOfCases = (at: string): string => `(
    select n.customer_id, ${countedBy.map((column) => `nullif(n.${column}, '') as ${column}`).join(', ')},
      n.opened_hour as opened_at, null::date as listed_before, n.cases,
      n.is_accepted and n.accepted_until > ${at}::timestamptz as is_accepted
    from case_counts n where n.customer_id = $1)`;

const changeSql = `
  insert into case_counts (customer_id, ${keys}, cases)
  select $1::uuid, n.* from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::text[], $12::timestamptz[], $13::boolean[], $14::timestamptz[], $15::int[]) n
  on conflict (customer_id, ${keys}) do update set cases = case_counts.cases + excluded.cases`;

/** Lets the counts follow a write of cases, within its transaction, which holds the lease. */
export async function changeCounts(
  tx: CustomerTransaction,
  { removed, added }: { readonly removed: readonly CountedCase[]; readonly added: readonly CountedCase[] },
): Promise<void> {
  const changes = new Map<string, { readonly key: CountedCase; cases: number }>();
  const count = (by: 1 | -1, cases: readonly CountedCase[]): void => {
    for (const key of cases) {
      if (!key.is_listed) continue;
      const { opened_hour, is_accepted, accepted_until } = key;
      const text = JSON.stringify([
        ...countedBy.map((column) => key[column]),
        ...[opened_hour, is_accepted, accepted_until],
      ]);
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
    rows.map(({ key }) => key.is_accepted),
    rows.map(({ key }) => key.accepted_until),
    rows.map(({ cases }) => cases),
  ]);
}

/** Counts all cases of the customer anew, within the caller's transaction, which holds the lease. */
export async function recount(tx: CustomerTransaction): Promise<void> {
  await tx.query('delete from case_counts where customer_id = $1');
  await tx.query(`
    insert into case_counts (customer_id, ${keys}, cases)
    select c.customer_id, ${keys}, count(*) from (
      select k.customer_id, ${keysOf('k', 'timestamptz')} from comparison_cases k where k.customer_id = $1 and k.listed_before is null
    ) c group by c.customer_id, ${keys}`);
  await noteCounted(tx);
}

/** Removes counts of which no case is left. */
export async function removeEmptyCounts(tx: CustomerTransaction): Promise<void> {
  await tx.query('delete from case_counts where customer_id = $1 and cases = 0');
}
