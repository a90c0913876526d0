interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

interface OwnerEntries<Value> {
  /** Least recently used first. */
  readonly entries: Map<string, Entry<Value>>;
  bytes: number;
}

/** Part of the whole that is freed at a time, so that the search for space costs little. */
const ROOM_PART = 64;

/** The largest cached value, as a part of the whole. */
const LARGEST_PART = 16;

/**
 * Caches values of several owners within a number of bytes. If it is full, the least recently used values of the owner
 * with the most bytes are evicted. An owner therefore keeps its values as long as they stay within an equal share of
 * the whole.
 */
export class FairCache<Value> {
  private readonly owners = new Map<string, OwnerEntries<Value>>();
  private bytes = 0;

  constructor(private readonly limit: number) {}

  /** Bytes in use. */
  get size(): number {
    return this.bytes;
  }

  get(owner: string, key: string): Value | undefined {
    const entries = this.owners.get(owner)?.entries;
    const found = entries?.get(key);
    if (entries === undefined || found === undefined) return undefined;
    entries.delete(key);
    entries.set(key, found);
    return found.value;
  }

  set(owner: string, key: string, value: Value, bytes: number): void {
    this.remove(owner, key);
    if (bytes > this.limit / LARGEST_PART) return;
    if (this.bytes + bytes > this.limit) this.makeRoom(Math.max(bytes, this.limit / ROOM_PART));
    let shelf = this.owners.get(owner);
    if (shelf === undefined) this.owners.set(owner, (shelf = { entries: new Map(), bytes: 0 }));
    shelf.entries.set(key, { value, bytes });
    shelf.bytes += bytes;
    this.bytes += bytes;
  }

  private makeRoom(bytes: number): void {
    const wanted = this.limit - bytes;
    while (this.bytes > wanted) {
      let most: [string, OwnerEntries<Value>] | undefined;
      let second = 0;
      for (const one of this.owners) {
        if (most === undefined || one[1].bytes > most[1].bytes) {
          second = most?.[1].bytes ?? 0;
          most = one;
        } else second = Math.max(second, one[1].bytes);
      }
      if (most === undefined) return;
      const [owner, shelf] = most;
      for (const key of shelf.entries.keys()) {
        this.remove(owner, key);
        if (this.bytes <= wanted || shelf.bytes < second) break;
      }
    }
  }

  private remove(owner: string, key: string): void {
    const shelf = this.owners.get(owner);
    const entry = shelf?.entries.get(key);
    if (shelf === undefined || entry === undefined) return;
    shelf.entries.delete(key);
    shelf.bytes -= entry.bytes;
    this.bytes -= entry.bytes;
    if (shelf.entries.size === 0) this.owners.delete(owner);
  }
}
