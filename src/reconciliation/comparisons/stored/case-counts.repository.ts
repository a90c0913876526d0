import type { CustomerTransaction } from '../../../database/transaction/store';
import { noteCounted } from './comparison-states.repository';

/**
 * The columns by which cases are counted: the filters of lists without a cut-off day for documents. Empty text stands
 * for null, so that the primary key has no nulls.
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

/** The columns of a case by which it is counted. */
export type CountedCase = Readonly<Record<(typeof countedBy)[number], string>> & {
  /** The hour in which it was opened, as seconds since 1970. */
  readonly opened_hour: string;
  readonly is_accepted: boolean;
  /** When the acceptance ends, as seconds since 1970, exact to the microsecond; `infinity` for never. */
  readonly accepted_until: string;
  /** Whether it is counted. */
  readonly is_listed: boolean;
};

/** The length of the span of time that one count is of, in milliseconds. Spans begin with the hours of UTC. */
export const COUNTED_MS = 3_600_000;

/** The beginning of the hour of a time in microseconds since 1970, as seconds since then. */
export function hourOf(microseconds: number): string {
  return String(Math.floor(microseconds / 1_000 / COUNTED_MS) * (COUNTED_MS / 1_000));
}

/** SQL for the beginning of the hour of a time. */
const beginningOfHour = (time: string): string =>
  `date_bin(interval '1 hour', ${time}, timestamptz '2000-01-01 00:00:00+00')`;

const keys = [...countedBy, 'opened_hour', 'is_accepted', 'accepted_until'].join(', ');

/** SQL for the columns by which a case is counted, except its times and its acceptance. */
const textsOf = (alias: string): string =>
  countedBy.map((column) => `coalesce(${alias}.${column}, '') as ${column}`).join(', ');

/**
 * SQL for the seconds since 1970 of a time. Unlike the text of a time and the parts of one, it is immutable, as a cluster wants
 * what a write returns.
 */
const secondsOf = (time: string): string =>
  `extract(epoch from ${time} - timestamptz '1970-01-01 00:00:00+00')`;

/** SQL for the columns of a {@link CountedCase}, of a case of an alias. */
export const countedColumns = (alias: string): string => `
    ${textsOf(alias)}, ${secondsOf(beginningOfHour(`${alias}.opened_at`))}::bigint::text as opened_hour,
    ${alias}.is_accepted, coalesce(${secondsOf(`${alias}.accepted_until`)}::text, 'infinity') as accepted_until,
    ${alias}.listed_before is null as is_listed`;

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

// As one number of floating point, a time would be exact to the microsecond until the year 2242 only.
const changeSql = `
  insert into case_counts (customer_id, ${keys}, cases)
  select $1::uuid, ${countedBy.map((column) => `n.${column}`).join(', ')}, to_timestamp(n.opened_hour), n.is_accepted,
    to_timestamp(n.until_seconds) + n.until_microseconds * interval '1 microsecond', n.cases
  from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
    $11::text[], $12::bigint[], $13::boolean[], $14::float8[], $15::int[], $16::int[])
    n (${countedBy.join(', ')}, opened_hour, is_accepted, until_seconds, until_microseconds, cases)
  on conflict (customer_id, ${keys}) do update set cases = case_counts.cases + excluded.cases`;

/** The changes of the counts by a write of cases. */
export class CountChanges {
  private readonly changes = new Map<string, { readonly key: CountedCase; cases: number }>();

  add(one: CountedCase): void {
    this.count(one, 1);
  }

  remove(one: CountedCase): void {
    this.count(one, -1);
  }

  /** The counts that are others now, and by how much. */
  get rows(): readonly { readonly key: CountedCase; readonly cases: number }[] {
    return [...this.changes.values()].filter(({ cases }) => cases !== 0);
  }

  private count(key: CountedCase, by: 1 | -1): void {
    if (!key.is_listed) return;
    const { opened_hour, is_accepted, accepted_until } = key;
    const text = JSON.stringify([
      ...countedBy.map((column) => key[column]),
      ...[opened_hour, is_accepted, accepted_until],
    ]);
    const known = this.changes.get(text);
    if (known === undefined) this.changes.set(text, { key, cases: by });
    else known.cases += by;
  }
}

/** Lets the counts follow a write of cases, within its transaction, which holds the lease. */
export async function changeCounts(tx: CustomerTransaction, { rows }: CountChanges): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(changeSql, [
    ...countedBy.map((column) => rows.map(({ key }) => key[column])),
    rows.map(({ key }) => key.opened_hour),
    rows.map(({ key }) => key.is_accepted),
    rows.map(({ key }) => key.accepted_until.split('.')[0]),
    rows.map(({ key }) => key.accepted_until.split('.')[1] ?? '0'),
    rows.map(({ cases }) => cases),
  ]);
}

/** Counts all cases of the customer anew, within the caller's transaction, which holds the lease. */
export async function recount(tx: CustomerTransaction): Promise<void> {
  await tx.query('delete from case_counts where customer_id = $1');
  await tx.query(`
    insert into case_counts (customer_id, ${keys}, cases)
    select c.customer_id, ${keys}, count(*) from (
      select k.customer_id, ${textsOf('k')}, ${beginningOfHour('k.opened_at')} as opened_hour, k.is_accepted,
        coalesce(k.accepted_until, 'infinity') as accepted_until
      from comparison_cases k where k.customer_id = $1 and k.listed_before is null
    ) c group by c.customer_id, ${keys}`);
  await noteCounted(tx);
}

/** Removes counts of which no case is left. */
export async function removeEmptyCounts(tx: CustomerTransaction): Promise<void> {
  await tx.query('delete from case_counts where customer_id = $1 and cases = 0');
}
