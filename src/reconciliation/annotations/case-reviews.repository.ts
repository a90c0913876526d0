import { databaseTime } from '../../database/transaction/database-time';
import { lockCustomer } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/store';
import { timeText } from '../../database/transaction/time-text';
import { showReviews } from '../comparisons/stored/case-rows.repository';
import { lockComparisons } from '../comparisons/stored/comparison-states.repository';
import type { AcceptanceEnd, Review } from './review';

/** A review with the time for which it is or was in force; in UTC, with microseconds. */
export interface ReviewVersion extends Review {
  readonly from: string;
  /** Null for the one in force. */
  readonly until: string | null;
  /** What ended the acceptance of the version before, if this one has none. */
  readonly endedBy: AcceptanceEnd | null;
}

/**
 * SQL for the reviews that are in force: a relation with one row for each case. `$1` is the customer.
 *
 * @param time the parameter that holds a time in the past; unset for now
 */
export function reviewsIn(time?: string): string {
  const inForce =
    time === undefined
      ? 'r.valid_until is null'
      : `r.valid_from <= ${time}::timestamptz and (r.valid_until is null or r.valid_until > ${time}::timestamptz)`;
  return `(select r.* from case_reviews r where r.customer_id = $1 and ${inForce})`;
}

/**
 * SQL condition: the review of alias `r` accepts the open case of another alias at a time. `isAccepted` computes the
 * same.
 *
 * @param alias of the open case
 * @param at the statement parameter that holds the time
 */
export function acceptedSql(alias: string, at: string): string {
  return `coalesce(r.accepted_values = ${alias}.values_digest
      and (r.accepted_until is null or r.accepted_until > ${at}::timestamptz), false)`;
}

const reviewsAt = (condition: string): string => `
  select count(*)::int as count from (
    select 1 from case_reviews r
    where r.customer_id = $1 and ${condition} and r.valid_from <= $2::timestamptz
      and (r.valid_until is null or r.valid_until > $2::timestamptz)
    limit $3) found`;
const accepting = reviewsAt('r.accepted_at is not null');
const owned = reviewsAt('r.owner = $4');

/**
 * How many reviews of a customer accept at a time, or name an owner; counted up to a number.
 *
 * @param owner undefined for those that accept
 */
export async function countReviews(
  tx: CustomerTransaction,
  time: string,
  most: number,
  owner?: string,
): Promise<number> {
  const [row] = await (owner === undefined
    ? tx.query<{ count: number }>(accepting, [time, most])
    : tx.query<{ count: number }>(owned, [time, most, owner]));
  return row?.count ?? 0;
}

interface ReviewRow {
  readonly case_id: string;
  readonly valid_from: string;
  readonly valid_until: string | null;
  readonly owner: string | null;
  readonly accepted_at: string | null;
  readonly accepted_reason: string | null;
  readonly accepted_by: string | null;
  readonly accepted_until: string | null;
  readonly accepted_until_given: string | null;
  readonly accepted_values: string | null;
  readonly ended_by: AcceptanceEnd | null;
}

const columns = `r.case_id, ${timeText('r.valid_from')} as valid_from, ${timeText('r.valid_until')} as valid_until, r.owner,
    ${timeText('r.accepted_at')} as accepted_at, r.accepted_reason, r.accepted_by,
    ${timeText('r.accepted_until')} as accepted_until, r.accepted_until_given, r.accepted_values, r.ended_by`;

function versionFrom(row: ReviewRow): ReviewVersion {
  const { accepted_at: at, accepted_reason: reason, accepted_by: decidedBy, accepted_values: values } = row;
  const isThere = at !== null && reason !== null && decidedBy !== null && values !== null;
  return {
    from: row.valid_from,
    until: row.valid_until,
    owner: row.owner,
    acceptance: isThere
      ? { at, reason, decidedBy, values, endsAt: row.accepted_until, until: row.accepted_until_given }
      : null,
    endedBy: row.ended_by,
  };
}

/**
 * The reviews of some cases.
 *
 * @param time in the past; those in force now unless set
 */
export async function readReviews(
  tx: CustomerTransaction,
  ids: readonly string[],
  time?: string,
): Promise<ReadonlyMap<string, Review>> {
  if (ids.length === 0) return new Map();
  const [at, more] = time === undefined ? [undefined, []] : ['$3', [time]];
  const rows = await tx.query<ReviewRow>(
    `select ${columns} from ${reviewsIn(at)} r where r.case_id = any ($2::text[])`,
    [ids, ...more],
  );
  return new Map(rows.map((row) => [row.case_id, versionFrom(row)]));
}

/** The members of a review by which a case counts as accepted, and its owner. */
export interface ReviewMark {
  readonly owner: string | null;
  readonly values: string | null;
  readonly endsAt: string | null;
}

const marksThen = `
  select r.case_id as id, r.owner, r.accepted_values as values, ${timeText('r.accepted_until')} as "endsAt"
  from ${reviewsIn('$2')} r where (r.owner is not null or r.accepted_at is not null)`;

/**
 * Reviews at a time that accept a case or name its owner, without their reasons, by case.
 *
 * @param ids of the cases; all cases unless set
 */
export async function reviewMarks(
  tx: CustomerTransaction,
  time: string,
  ids?: readonly string[],
): Promise<ReadonlyMap<string, ReviewMark>> {
  if (ids?.length === 0) return new Map();
  const rows = await (ids === undefined
    ? tx.query<ReviewMark & { readonly id: string }>(marksThen, [time])
    : tx.query<ReviewMark & { readonly id: string }>(`${marksThen} and r.case_id = any ($3::text[])`, [
        time,
        ids,
      ]));
  return new Map(rows.map(({ id, ...mark }) => [id, mark]));
}

/** The latest versions of a case's review, newest first. */
export async function reviewVersions(
  tx: CustomerTransaction,
  id: string,
  most: number,
): Promise<readonly ReviewVersion[]> {
  const rows = await tx.query<ReviewRow>(
    `select ${columns} from case_reviews r where r.customer_id = $1 and r.case_id = $2
     order by r.valid_from desc limit $3`,
    [id, most],
  );
  return rows.map(versionFrom);
}

/**
 * Begins to write reviews or notes. Until the transaction ends, no refresh of the comparisons writes, and no other
 * caller writes reviews or notes.
 *
 * @param begun runs after the customer's lock is taken
 * @returns the time of the written rows, in UTC with microseconds; no earlier time is settled before the commit
 * @throws QueryFailedError LOCK_NOT_AVAILABLE
 */
export async function beginReview(tx: CustomerTransaction, begun?: () => Promise<void>): Promise<string> {
  if (!(await lockCustomer(tx, 'shared'))) throw new Error('A customer that writes reviews is there');
  await begun?.();
  await lockComparisons(tx);
  return databaseTime(tx.store);
}

const endSql = `
  update case_reviews set valid_until = $3::timestamptz
  where customer_id = $1 and case_id = any ($2::text[]) and valid_until is null`;

const insertSql = `
  insert into case_reviews (customer_id, case_id, valid_from, owner, accepted_at, accepted_reason, accepted_by,
    accepted_until, accepted_until_given, accepted_values, ended_by)
  select $1, n.case_id, $2::timestamptz, n.owner, n.at::timestamptz, n.reason, n.decided_by, n.ends_at::timestamptz,
    n.until_given, n.accepted_values, n.ended_by
  from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[])
    n (case_id, owner, at, reason, decided_by, ends_at, until_given, accepted_values, ended_by)`;

/** Puts reviews in the place of those in force, from a time of {@link beginReview} on. Open cases show them. */
export async function saveReviews(
  tx: CustomerTransaction,
  at: string,
  reviews: readonly (Review & { readonly caseId: string; readonly endedBy: AcceptanceEnd | null })[],
): Promise<void> {
  if (reviews.length === 0) return;
  const column = (value: (review: (typeof reviews)[number]) => string | null | undefined) =>
    reviews.map((review) => value(review) ?? null);
  const ids = reviews.map(({ caseId }) => caseId);
  await Promise.all([
    tx.query(endSql, [ids, at]),
    tx.query(insertSql, [
      at,
      column(({ caseId }) => caseId),
      column(({ owner }) => owner),
      column(({ acceptance }) => acceptance?.at),
      column(({ acceptance }) => acceptance?.reason),
      column(({ acceptance }) => acceptance?.decidedBy),
      column(({ acceptance }) => acceptance?.endsAt),
      column(({ acceptance }) => acceptance?.until),
      column(({ acceptance }) => acceptance?.values),
      column(({ endedBy }) => endedBy),
    ]),
    showReviews(tx, ids),
  ]);
}

const finished = '(select max(m.mark) from comparison_marks m where m.customer_id = $1)';

// Cases that changed since the last mark have a version that ended since. One that opened after it and after its
// acceptance was settled in between, although no refresh saw that.
const outdatedSql = `
  select r.case_id as id, r.owner, o.id is null as closed
  from case_versions v
  join case_reviews r on r.customer_id = $1 and r.case_id = v.id and r.valid_until is null and r.accepted_at is not null
  left join comparison_cases o on o.customer_id = $1 and o.id = v.id
  where v.customer_id = $1 and v.valid_until >= coalesce(${finished}, '-infinity'::timestamptz)
    and (o.values_digest is distinct from r.accepted_values or (o.opened_at > ${finished} and o.opened_at > r.accepted_at))
  union
  select r.case_id, r.owner, false
  from unnest($2::text[], $3::timestamptz[]) changed (id, at)
  join case_reviews r on r.customer_id = $1 and r.case_id = changed.id and r.valid_until is null
    and r.accepted_at < changed.at
  join comparison_cases o on o.customer_id = $1 and o.id = changed.id`;

/** A case that had other values for a while. */
export interface ChangedCase {
  readonly caseId: string;
  /** When it had them; in UTC, with microseconds. */
  readonly at: string;
}

/**
 * Acceptances in force of cases that are closed or have other values, or had other values for a while after they were
 * accepted, or were settled then, among those that changed since the last mark.
 *
 * @param changed cases that had other values for a while, as no row tells
 */
export function outdatedAcceptances(
  tx: CustomerTransaction,
  changed: readonly ChangedCase[],
): Promise<readonly { readonly id: string; readonly owner: string | null; readonly closed: boolean }[]> {
  return tx.query(outdatedSql, [changed.map(({ caseId }) => caseId), changed.map(({ at }) => at)]);
}

// A review in force of a case that no longer exists, neither open nor closed.
const isForsaken = (review: string): string => `${review}.valid_until is null
  and not exists (select from comparison_cases c where c.customer_id = ${review}.customer_id and c.id = ${review}.case_id)
  and not exists (select from case_versions v where v.customer_id = ${review}.customer_id and v.id = ${review}.case_id)`;

/** SQL for reviews that are deleted when they are old: a relation with `customer_id` and `at`. */
export const expiringReviews = `
  select e.customer_id, e.valid_until as at from case_reviews e where e.valid_until is not null
  union all
  select f.customer_id, f.valid_from from case_reviews f where ${isForsaken('f')}`;

/** Deletes reviews that ended before a time, `most` at a time. @returns how many */
export function deleteOldReviews(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
  return deleteReviews(tx, 'o.valid_until <= $2 order by o.valid_until', before, most);
}

/** Deletes reviews from before a time whose cases are not there any more, `most` at a time. @returns how many */
export function deleteForsakenReviews(tx: CustomerTransaction, before: Date, most: number): Promise<number> {
  return deleteReviews(tx, `o.valid_from <= $2 and ${isForsaken('o')} order by o.valid_from`, before, most);
}

function deleteReviews(
  tx: CustomerTransaction,
  condition: string,
  before: Date,
  most: number,
): Promise<number> {
  return tx.execute(
    `delete from case_reviews r using (
       select o.case_id, o.valid_from from case_reviews o where o.customer_id = $1 and ${condition} limit $3
     ) old
     where r.customer_id = $1 and r.case_id = old.case_id and r.valid_from = old.valid_from`,
    [before, most],
  );
}
