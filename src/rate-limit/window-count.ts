import type { ThrottlerStorage } from '@nestjs/throttler';

/** What a storage tells the throttler of a hit. */
export type WindowCount = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/**
 * The count of a fixed window.
 *
 * @param remaining milliseconds until the window ends; told in whole seconds, never zero, so that who waits them out may come
 */
export function windowCount(hits: number, remaining: number, limit: number): WindowCount {
  const timeToExpire = Math.max(1, Math.ceil(remaining / 1000));
  const isBlocked = hits > limit;
  return { totalHits: hits, timeToExpire, isBlocked, timeToBlockExpire: isBlocked ? timeToExpire : 0 };
}
