import type { ThrottlerStorage } from '@nestjs/throttler';
import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import { windowCount, type WindowCount } from './window-count';

/** Maximum number of cached blocked keys. Above it all are dropped, and the database is queried again. */
const MOST_BLOCKED = 100_000;

/**
 * Counts hits in the database, so that all instances count together, in windows that begin with a key's first hit.
 * Times are the database's. Each instance caches the blocked keys, so refusals need no statement.
 */
export class DatabaseWindowStorage implements ThrottlerStorage {
  /** When the window of a blocked key ends, by this process's monotonic clock. */
  private readonly blocked = new Map<string, number>();

  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** @throws DatabaseUnavailable */
  async increment(key: string, ttl: number, limit: number): Promise<WindowCount> {
    const known = this.remainingBlock(key);
    if (known > 0) return windowCount(limit + 1, known, limit);
    const [window] = await this.unitOfWork.run((store) =>
      store.query<{ hits: number; remaining: number }>(hit, [key, ttl]),
    );
    if (window === undefined) throw new Error('An upsert gave no row');
    if (window.hits > limit) this.remember(key, window.remaining);
    return windowCount(window.hits, window.remaining, limit);
  }

  /** Deletes the windows that have ended, except those whose rows are locked by a count. */
  async forgetEnded(): Promise<void> {
    await this.unitOfWork.run((store) =>
      store.query(
        `delete from rate_limit_windows where key in (
           select key from rate_limit_windows where ends_at <= now() for update skip locked
         )`,
      ),
    );
    for (const [key, endsAt] of this.blocked) if (endsAt <= performance.now()) this.blocked.delete(key);
  }

  private remainingBlock(key: string): number {
    return (this.blocked.get(key) ?? 0) - performance.now();
  }

  private remember(key: string, remaining: number): void {
    if (this.blocked.size >= MOST_BLOCKED) this.blocked.clear();
    this.blocked.set(key, performance.now() + remaining);
  }
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
