/** Bytes that a customer is expected to store within a second at most. */
const FASTEST_GROWTH = 64 * 1024 ** 2;

/** Shortest and longest time between two counts of a writing customer, in milliseconds. */
const LEAST = 1_000;
const LONGEST = 3_600_000;

/**
 * The pause is at least so many times as long as the count, so counting a customer takes less than a
 * twentieth of an instance's time.
 */
const SHARE = 20;

/**
 * The time from a count to the next, in milliseconds. The next count is due when the customer could have used the
 * remaining room, but not so soon that counting a large customer occupies an instance. Pure.
 *
 * @param room remaining bytes; 0 or less when the quota is used up
 * @param took duration of the count in milliseconds
 */
export function countPause(room: number, took: number): number {
  return Math.max(LEAST, took * SHARE, Math.min((room / FASTEST_GROWTH) * 1_000, LONGEST));
}
