const SECOND = 1_000;
const DAY = 24 * 3_600_000;

/** How often what is older than a life is looked for, in milliseconds: once a day, or ten times in a shorter life. */
export function pauseOfSweeps(life: number): number {
  return Math.min(Math.max(life / 10, SECOND), DAY);
}
