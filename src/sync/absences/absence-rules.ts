/** After so many consecutive whole readings without a record, the record counts as deleted. */
export const READINGS_WITHOUT = 2;

/** At most one record in so many of a scope is marked as deleted at once; more deletions wait for a person. */
const ONE_RECORD_IN = 10;

/**
 * Whether records may be marked as deleted without a person's consent. Pure.
 *
 * @param going records of the scope that would be marked as deleted
 * @param total stored records of the scope
 */
export function mayBeDeleted(going: number, total: number): boolean {
  return going * ONE_RECORD_IN <= total;
}
