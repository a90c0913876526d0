import type { ThrottlerStorage } from '@nestjs/throttler';

/** The storage's result for a hit. */
export type WindowCount = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * The count of a fixed window.
 *
 * @param remaining milliseconds until the window ends; the result has whole seconds, never zero, after which a client
 *   may retry
 */
export function windowCount(hits: number, remaining: number, limit: number): WindowCount {
  const timeToExpire = Math.max(1, Math.ceil(remaining / 1000));
  const isBlocked = hits > limit;
  return { totalHits: hits, timeToExpire, isBlocked, timeToBlockExpire: isBlocked ? timeToExpire : 0 };
}
