/** Bytes that a customer can be expected to store within a second. */
const FASTEST_GROWTH = 64 * 1024 ** 2;

/** Least and longest milliseconds between two counts of a customer who writes. */
const LEAST = 1_000;
const LONGEST = 3_600_000;

/** A count may take one part in so many of an instance's time. */
const SHARE = 20;

/**
 * How long after a count the next one is due, in milliseconds: when the room that was left can be taken, and not so soon that
 * counting a large customer becomes the work of an instance. Pure.
 *
 * @param room bytes that were left; 0 or less when the quota is used up
 * @param took milliseconds that the count took
 */
export function countPause(room: number, took: number): number {
  return Math.max(LEAST, took * SHARE, Math.min((room / FASTEST_GROWTH) * 1_000, LONGEST));
}
