import { invalidInput, ApiError } from '../errors/api-error';
import type { Store } from '../database/store';
import { timeText } from '../database/time-text';

/** How a time stands to what is known. */
export interface Horizon {
  readonly isFuture: boolean;
  /** Whether it is older than history is kept. */
  readonly isTooOld: boolean;
  /** Since when history is kept. */
  readonly since: string;
}

const sql = `
  select $1::timestamptz > clock_timestamp() as is_future,
    $2::float8 > 0 and $1::timestamptz < clock_timestamp() - $2::float8 * interval '1 millisecond' as is_too_old,
    ${timeText(`clock_timestamp() - $2::float8 * interval '1 millisecond'`)} as since`;

/**
 * How a time stands to what is known, by the database's clock, which all times here come from.
 *
 * @param life milliseconds that history is kept; 0 for ever
 */
export async function horizonOf(store: Store, time: string, life: number): Promise<Horizon> {
  const [row] = await store.query<{ is_future: boolean; is_too_old: boolean; since: string }>(sql, [
    time,
    life,
  ]);
  if (row === undefined) throw new Error('The database has no time');
  return { isFuture: row.is_future, isTooOld: row.is_too_old, since: row.since };
}

/** @throws ApiError 400 for a time to come, 404 for one of which nothing is known any more */
export function refuseBeyond({ isFuture, isTooOld, since }: Horizon): void {
  if (isFuture) throw invalidInput(['as_of must not be in the future']);
  if (isTooOld)
    throw new ApiError('NOT_FOUND', `History is kept since ${since}; nothing is known of an earlier time`);
}
