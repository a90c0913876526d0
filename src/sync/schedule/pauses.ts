const MINUTE = 60_000;

/** The longest pause after failures, in milliseconds. A longer interval takes precedence. */
export const LONGEST_PAUSE = 60 * MINUTE;

/**
 * Milliseconds until a connection is read again. Pure.
 *
 * @param interval milliseconds between two readings; 0 if no reading is scheduled
 * @param failures number of consecutive failed runs
 * @param chance from 0 to 1: spreads connections that began together, by up to a tenth in both directions
 */
export function pauseUntilNext(interval: number, failures: number, chance: number): number {
  const base = interval === 0 ? MINUTE : interval;
  const pause =
    failures === 0 ? base : Math.max(base, Math.min(LONGEST_PAUSE, base * 2 ** Math.min(failures - 1, 30)));
  return Math.round(pause * (0.9 + 0.2 * chance));
}
