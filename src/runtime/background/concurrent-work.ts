/**
 * Work that an instance does at a time, each piece for a key such as a customer. The number of pieces is limited in total and for
 * each key, so no key takes all places.
 */
export class ConcurrentWork {
  private readonly working = new Map<Promise<void>, string>();

  constructor(
    private readonly most: number,
    private readonly mostOfKey = 1,
  ) {}

  /** How many further pieces there is room for. */
  get room(): number {
    return this.most - this.working.size;
  }

  /** How many further pieces there is room for with a key. */
  roomFor(key: string): number {
    return Math.min(this.mostOfKey - this.countOf(key), this.room);
  }

  /** The keys that have no room. */
  get fullKeys(): readonly string[] {
    return [...new Set(this.working.values())].filter((key) => this.countOf(key) >= this.mostOfKey);
  }

  /**
   * Starts a piece of work.
   *
   * @param work must not reject: it reports its own failure
   * @param ended is called when there is room again
   */
  start(key: string, work: () => Promise<void>, ended: () => void = () => undefined): void {
    const piece = work().finally(() => {
      this.working.delete(piece);
      ended();
    });
    this.working.set(piece, key);
  }

  /** Resolves when no work is in progress, including work that ended work has started. */
  async idle(): Promise<void> {
    while (this.working.size > 0) await Promise.all(this.working.keys());
  }

  private countOf(key: string): number {
    return [...this.working.values()].filter((other) => other === key).length;
  }
}
