const SECOND = 1_000;
const DAY = 24 * 3_600_000;

/** Milliseconds between searches for rows older than a lifetime: a day, or a tenth of a shorter lifetime. */
export function pauseOfSweeps(life: number): number {
  return Math.min(Math.max(life / 10, SECOND), DAY);
}
