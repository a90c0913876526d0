/** What is wrong between an object's records at one time, each item by its name. */
export type OpenItems = ReadonlySet<string>;

/** A record as it was from one time until another; microseconds since 1970. */
export interface Dated {
  readonly since: number;
  /** Undefined for the record as it is now. */
  readonly until: number | undefined;
}

/** Times that are looked at, from now back. What has been open for longer counts from the oldest of them. */
export const MOST_LOOKED_AT = 50;

/**
 * Since when each open item is open without a break, by the records as they were: an item that was settled and came up
 * again counts from then. Pure, so it is the same whenever it is worked out.
 *
 * @param versions of all records that were ever the object's
 * @param itemsOf what was open while these were the object's records
 */
export function openSince<Version extends Dated>(
  versions: readonly Version[],
  itemsOf: (present: readonly Version[]) => OpenItems,
): ReadonlyMap<string, number> {
  const times = new Set<number>();
  for (const { since, until } of versions) {
    times.add(since);
    if (until !== undefined) times.add(until);
  }
  const since = new Map<string, number>();
  let still: OpenItems | undefined;
  for (const time of [...times].toSorted((one, other) => other - one).slice(0, MOST_LOOKED_AT)) {
    const present = versions.filter(
      (one) => one.since <= time && (one.until === undefined || one.until > time),
    );
    const items = present.length === 0 ? new Set<string>() : itemsOf(present);
    still = still === undefined ? items : new Set([...still].filter((name) => items.has(name)));
    if (still.size === 0) break;
    for (const name of still) since.set(name, time);
  }
  return since;
}
