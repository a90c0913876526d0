import type { Store } from '../../../database/transaction/store';
import type { LimiterKey } from './limiter-key';
import type { LimiterState } from './limiter-state';

/** The state of a rate limiter, locked until the end of the transaction. */
export interface LockedLimiter {
  /** Undefined for a new rate limiter. */
  readonly state: LimiterState | undefined;
  /** The database's clock, in milliseconds of Unix time. */
  readonly clock: number;
}

const find = `
  select state, (extract(epoch from clock_timestamp()) * 1000)::float8 as clock
    from platform_rate_limiters where platform = $1 and credential = $2 for update`;

/** Inserts a new rate limiter. JSON null is no known format. */
const make = `
  insert into platform_rate_limiters (platform, credential, state, visited_at) values ($1, $2, 'null', now())
  on conflict (platform, credential) do nothing`;

/** A rate limiter without calls for longer than any window and any pause has nothing to remember. */
const forgetOld = `
  delete from platform_rate_limiters where (platform, credential) in (
    select platform, credential from platform_rate_limiters where visited_at < now() - interval '1 day'
    limit 100 for update skip locked)`;

/** Locks the row of a rate limiter, and inserts it if it does not exist. An insertion also removes expired rows. */
export async function lockLimiter(
  store: Store,
  { platform, credential }: LimiterKey,
): Promise<LockedLimiter> {
  const key = [platform, credential];
  type Row = { state: LimiterState | null; clock: number };
  let [row] = await store.query<Row>(find, key);
  if (row === undefined) {
    await store.query(make, key);
    await store.query(forgetOld);
    [row] = await store.query<Row>(find, key);
  }
  if (row === undefined) throw new Error('The row of the rate limiter is missing');
  return { state: row.state ?? undefined, clock: row.clock };
}

/** Stores the state of a rate limiter with the commit. */
export function saveLimiter(store: Store, { platform, credential }: LimiterKey, state: LimiterState): void {
  store.queryLater(
    `update platform_rate_limiters set state = $3, visited_at = now() where platform = $1 and credential = $2`,
    [platform, credential, JSON.stringify(state)],
  );
}
