import { invalidInput, ApiError } from '../../common/errors/api-error';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { timeText } from '../../database/transaction/time-text';

interface HorizonRow {
  readonly is_future: boolean;
  readonly removed_until: string | null;
  readonly kept_since: string;
  readonly has_older: boolean;
}

// The clock has a subquery of its own, because a cluster accepts no clock within a larger expression.
const sql = `
  select $2::timestamptz > kept.now as is_future, ${timeText('kept.since')} as kept_since,
    (select ${timeText('h.whole_since')} from history_horizons h where h.customer_id = $1) as removed_until,
    $3::float8 > 0 and exists (select from changes c where c.customer_id = $1 and c.at < kept.since) as has_older
  from (
    select clock_timestamp() as now, clock_timestamp() - $3::float8 * interval '1 millisecond' as since
  ) kept`;

async function readHorizon(
  store: Pick<Store, 'query'>,
  customerId: string,
  time: string,
  life: number,
): Promise<{ readonly isFuture: boolean; readonly since: string | undefined }> {
  const [row] = await store.query<HorizonRow>(sql, [customerId, time, life]);
  if (row === undefined) throw new Error('The database has no time');
  // History that is due for removal counts as removed, so a response does not depend on when the removal runs.
  const due = row.has_older ? row.kept_since : undefined;
  const removed = row.removed_until ?? undefined;
  const since = due === undefined || (removed !== undefined && removed > due) ? removed : due;
  return { isFuture: row.is_future, since };
}

/**
 * The time from which a customer's history is complete, in the caller's snapshot; undefined if none of it was ever
 * removed. A longer setting does not bring back history that was removed under a shorter one.
 *
 * @param life milliseconds that history is kept; 0 for ever
 * @returns in UTC, with microseconds
 */
export async function wholeSince(tx: CustomerTransaction, life: number): Promise<string | undefined> {
  return (await readHorizon(tx.store, tx.customerId, '-infinity', life)).since;
}

/**
 * Refuses a time for which the customer's history is incomplete, in the caller's snapshot.
 *
 * @param time in UTC, with microseconds
 * @param life milliseconds that history is kept; 0 for ever
 * @throws ApiError VALIDATION_ERROR for a future time; NOT_FOUND for a time before the remaining history
 */
export async function refuseBeyond(
  store: Pick<Store, 'query'>,
  customerId: string,
  time: string,
  life: number,
): Promise<void> {
  const { isFuture, since } = await readHorizon(store, customerId, time, life);
  if (isFuture) throw inTheFuture();
  if (since !== undefined && time < since) throw beforeHistory(since);
}

// The update sets no parameter, because a cluster runs the insert and the update separately.
const removeSql = `
  insert into history_horizons as known (customer_id, whole_since) values ($1, $2::timestamptz)
  on conflict (customer_id) do update set whole_since = greatest(known.whole_since, excluded.whole_since)`;

/**
 * Records that versions that ended before a time are removed. The caller stores this before or together with the
 * removal.
 */
export async function noteRemoved(tx: CustomerTransaction, before: Date | string): Promise<void> {
  await tx.query(removeSql, [before]);
}

/** The refusal of a time in the future. */
export function inTheFuture(): ApiError {
  return invalidInput(['as_of must not lie in the future; a date without a time means the end of that day']);
}

/** The refusal of a time for which the history was removed. @param since the time from which history is complete */
export function beforeHistory(since: string): ApiError {
  return new ApiError('NOT_FOUND', `History is kept since ${since}; an earlier time is not known any more`);
}
