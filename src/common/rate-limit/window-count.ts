import type { ThrottlerStorage } from '@nestjs/throttler';

/** What the throttler learns about a hit from its storage. */
export type WindowCount = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * The count of a fixed window.
 *
 * @param remaining milliseconds until the window ends; the result has whole seconds, never zero, after which a client may come again
 */
export function windowCount(hits: number, remaining: number, limit: number): WindowCount {
  const timeToExpire = Math.max(1, Math.ceil(remaining / 1000));
  const isBlocked = hits > limit;
  return { totalHits: hits, timeToExpire, isBlocked, timeToBlockExpire: isBlocked ? timeToExpire : 0 };
}
