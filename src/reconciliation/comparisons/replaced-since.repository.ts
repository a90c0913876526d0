import type { CustomerTransaction } from '../../database/transaction/store';

/** A moment that comparisons are compared with. Times are in UTC, with microseconds. */
export interface ComparedMoment {
  /** The time up to which comparisons had followed the records. */
  readonly mark: string;
  /** The time at which reviews counted: the mark, or a later one. */
  readonly asOf: string;
}

// What a refresh puts in the place of a row is in force from its mark on, and the row until then. A review counts from its
// begin to its end, and an acceptance until its own.
const replacedSql = `
  select object_id as id from (
    select c.object_id from comparisons c where c.customer_id = $1 and c.valid_from > $2::timestamptz
    union
    select v.object_id from comparison_versions v where v.customer_id = $1 and v.valid_until > $2::timestamptz
    union
    select k.object_id from comparison_cases k where k.customer_id = $1 and k.valid_from > $2::timestamptz
    union
    select w.object_id from case_versions w where w.customer_id = $1 and w.valid_until > $2::timestamptz
    union
    select k.object_id from case_reviews r join comparison_cases k on k.customer_id = $1 and k.id = r.case_id
    where r.customer_id = $1 and (r.valid_from > $3::timestamptz or r.valid_until > $3::timestamptz
      or (r.accepted_until > $3::timestamptz and r.accepted_until <= $4::timestamptz))
  ) replaced
  limit $5`;

/**
 * The objects whose comparisons, cases or acceptances were replaced, began or ended since a moment, in the caller's snapshot;
 * undefined if they are more than wanted.
 *
 * @param until the time at which reviews count now, in UTC with microseconds
 */
export async function replacedSince(
  tx: CustomerTransaction,
  { mark, asOf }: ComparedMoment,
  until: string,
  most: number,
): Promise<readonly string[] | undefined> {
  const rows = await tx.query<{ id: string }>(replacedSql, [mark, asOf, until, most + 1]);
  return rows.length > most ? undefined : rows.map(({ id }) => id);
}
