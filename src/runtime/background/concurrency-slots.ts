/**
 * Counts the concurrent work of an instance, in total and for each key, such as a customer, so that one key cannot take all
 * slots.
 */
export class ConcurrencySlots {
  private readonly taken = new Map<string, number>();
  private total = 0;

  /**
   * @param most the number of slots
   * @param mostOfKey the most slots that one key may take
   * @param kept slots of which a key may take one only, and only while it has no other
   */
  constructor(
    private readonly most: number,
    private readonly mostOfKey = 1,
    private readonly kept = 0,
  ) {}

  /** The number of free slots. */
  get room(): number {
    return this.most - this.total;
  }

  /** The number of free slots for a key. */
  roomFor(key: string): number {
    const taken = this.taken.get(key) ?? 0;
    const shared = Math.max(0, this.room - this.kept);
    return Math.min(this.mostOfKey - taken, taken === 0 && this.room > 0 ? Math.max(1, shared) : shared);
  }

  /** The keys that have no room. */
  get fullKeys(): readonly string[] {
    return [...this.taken.keys()].filter((key) => this.roomFor(key) <= 0);
  }

  acquire(key: string, count: number): void {
    this.taken.set(key, (this.taken.get(key) ?? 0) + count);
    this.total += count;
  }

  release(key: string, count: number): void {
    const left = (this.taken.get(key) ?? 0) - count;
    if (left > 0) this.taken.set(key, left);
    else this.taken.delete(key);
    this.total -= count;
  }
}
