/** A map of the entries that were set last. One more than there may be takes the place of the one that was set first. */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  /** @param most maximum number of entries */
  constructor(private readonly most: number) {
    super();
  }

  /** Sets an entry, which then counts as the last one, also if its key was there. */
  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    // A map iterates over its keys in the order in which they were added.
    for (const first of this.keys()) {
      if (this.size <= this.most) break;
      this.delete(first);
    }
    return this;
  }
}
