import type { ThrottlerStorage } from '@nestjs/throttler';
import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import { countHit, deleteEndedWindows } from './windows.repository';
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
    const window = await this.unitOfWork.run((store) => countHit(store, key, ttl));
    if (window.hits > limit) this.remember(key, window.remaining);
    return windowCount(window.hits, window.remaining, limit);
  }

  /** Deletes the windows that have ended, except those whose rows are locked by a count. */
  async forgetEnded(): Promise<void> {
    await this.unitOfWork.run(deleteEndedWindows);
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
