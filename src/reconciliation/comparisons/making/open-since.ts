/** The problems between an object's records at one time, by name. */
export type OpenItems = ReadonlySet<string>;

/** A version of a record from one time until another; microseconds since 1970. */
export interface Dated {
  readonly since: number;
  /** Undefined for the present version. */
  readonly until: number | undefined;
}

/**
 * Maximum number of times that are examined, from now backwards. An item that was open for longer counts from the
 * oldest of them.
 */
export const MOST_LOOKED_AT = 50;

/**
 * Since when each open item has been open without interruption, by the versions of the records. An item that was
 * settled and opened again counts from the later time. Pure, so the result is the same at any time.
 *
 * @param versions of all records that ever belonged to the object
 * @param itemsOf the open items of a set of records
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
