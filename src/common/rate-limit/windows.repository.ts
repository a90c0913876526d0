import type { Store } from '../../database/transaction/store';

/** A key's window after a hit. */
export interface CountedWindow {
  readonly hits: number;
  /** Milliseconds until the window ends, by the database's clock. */
  readonly remaining: number;
}

/** Counts a hit. The first one begins a window of `ttl` milliseconds. */
export async function countHit(store: Store, key: string, ttl: number): Promise<CountedWindow> {
  const [window] = await store.query<CountedWindow>(hit, [key, ttl]);
  if (window === undefined) throw new Error('An upsert gave no row');
  return window;
}

/** Deletes the windows that have ended, except those whose rows are locked by a count. */
export async function deleteEndedWindows(store: Store): Promise<void> {
  await store.query(
    `delete from rate_limit_windows where key in (
       select key from rate_limit_windows where ends_at <= now() for update skip locked
     )`,
  );
}

// A window that ends much later than a new one was begun before the server's clock was set back. A slightly later end
// belongs to a window that was begun while this statement waited for its row.
const isOver = `(known.ends_at <= now() or known.ends_at > excluded.ends_at + interval '10 seconds')`;

const hit = `
  insert into rate_limit_windows as known (key, hits, ends_at)
  values ($1, 1, now() + $2 * interval '1 millisecond')
  on conflict (key) do update set
    hits = case when ${isOver} then 1 else known.hits + 1 end,
    ends_at = case when ${isOver} then excluded.ends_at else known.ends_at end
  returning hits, (extract(epoch from ends_at - now()) * 1000)::float8 as remaining`;
