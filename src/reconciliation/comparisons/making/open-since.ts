/** The problems between an object's records at one time, by name. */
export type OpenItems = ReadonlySet<string>;

/** A version of a record from one time until another; microseconds since 1970. */
export interface Dated {
  readonly since: number;
  /** Undefined for the present version. */
  readonly until: number | undefined;
}

/**
 * Since when each open item has been open without interruption, by the versions of the records. An item that was
 * settled and opened again counts from the later time. Versions are added step by step, the latest first, so that no more
 * of them are read than the oldest item needs. Pure: the result is the same at any time, and for steps of any size.
 */
export class OpenSince<Version extends Dated> {
  private readonly since = new Map<string, number>();
  private still: OpenItems | undefined;
  /** Times from here on have been examined. */
  private examined = Infinity;

  /**
   * @param known versions that reach back to times before: at first the present ones
   * @param itemsOf the open items of a set of records
   */
  constructor(
    private known: readonly Version[],
    private readonly itemsOf: (present: readonly Version[]) => OpenItems,
  ) {}

  /** Whether no present item was open at the earliest time that was examined: older versions change nothing. */
  get isSettled(): boolean {
    return this.still?.size === 0;
  }

  /** The time of an item; undefined before the first step. */
  of(item: string): number | undefined {
    return this.since.get(item);
  }

  /**
   * Examines earlier times.
   *
   * @param former versions that ended before the times that have been examined
   * @param from the time since which every version is known, those of earlier steps included
   */
  goBack(former: readonly Version[], from = -Infinity): void {
    const known = [...this.known, ...former];
    const times = new Set(
      known
        .flatMap(({ since, until }) => (until === undefined ? [since] : [since, until]))
        .filter((time) => time >= from && time < this.examined),
    );
    for (const time of [...times].toSorted((one, other) => other - one)) {
      if (this.isSettled) break;
      this.examine(
        known.filter((one) => one.since <= time && (one.until === undefined || one.until > time)),
        time,
      );
    }
    this.examined = from;
    this.known = known.filter(({ since }) => since < from);
  }

  private examine(present: readonly Version[], time: number): void {
    const items = present.length === 0 ? new Set<string>() : this.itemsOf(present);
    this.still =
      this.still === undefined ? items : new Set([...this.still].filter((name) => items.has(name)));
    for (const name of this.still) this.since.set(name, time);
  }
}
