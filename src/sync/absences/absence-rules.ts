/** Whole readings without a record after which it is gone. */
export const READINGS_WITHOUT = 2;

/** One part in so many of a scope may go at once; what would be more waits for a person. */
const MOST_AT_ONCE = 10;

/**
 * Whether records may be marked as deleted by themselves. Pure.
 *
 * @param going records of a scope that would go
 * @param total records of the scope that are stored
 */
export function mayBeDeleted(going: number, total: number): boolean {
  return going * MOST_AT_ONCE <= total;
}
