const MINUTE = 60_000;

/** The longest pause after failures, in milliseconds, unless the interval itself is longer. */
export const LONGEST_PAUSE = 60 * MINUTE;

/**
 * Milliseconds until a connection is read again. Pure.
 *
 * @param interval milliseconds between two readings; 0 where none comes by itself
 * @param failures runs that have failed one after the other
 * @param chance from 0 to 1: spreads connections that began together, by a tenth to both sides
 */
export function pauseUntilNext(interval: number, failures: number, chance: number): number {
  const base = interval === 0 ? MINUTE : interval;
  const pause =
    failures === 0 ? base : Math.max(base, Math.min(LONGEST_PAUSE, base * 2 ** Math.min(failures - 1, 30)));
  return Math.round(pause * (0.9 + 0.2 * chance));
}
