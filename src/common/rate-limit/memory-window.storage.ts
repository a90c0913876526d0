import type { ThrottlerStorage } from '@nestjs/throttler';
import { windowCount, type WindowCount } from './window-count';

interface Window {
  hits: number;
  readonly endsAt: number;
}

/**
 * Counts hits in windows that begin with a key's first hit. Time and memory for each key are constant, whereas the
 * library's own storage keeps and searches a list of all hits.
 */
export class MemoryWindowStorage implements ThrottlerStorage {
  /** Maximum number of keys. Above it the oldest window is dropped, and its key starts anew. */
  static readonly MAX_KEYS = 100_000;

  // All windows have the same length and are inserted at their start, so the Map's order is the order of their ends.
  private readonly windows = new Map<string, Window>();

  /** @param now a monotonic clock in milliseconds: a change of the machine's clock must not lock clients out */
  constructor(private readonly now: () => number = () => performance.now()) {}

  increment(key: string, ttl: number, limit: number): Promise<WindowCount> {
    const now = this.now();
    this.forgetEnded(now);
    const window = this.windows.get(key) ?? this.begin(key, now + ttl);
    window.hits += 1;
    return Promise.resolve(windowCount(window.hits, window.endsAt - now, limit));
  }

  /** Number of keys at present. */
  get size(): number {
    return this.windows.size;
  }

  private begin(key: string, endsAt: number): Window {
    if (this.windows.size >= MemoryWindowStorage.MAX_KEYS) {
      for (const oldest of this.windows.keys()) {
        this.windows.delete(oldest);
        break;
      }
    }
    const window = { hits: 0, endsAt };
    this.windows.set(key, window);
    return window;
  }

  private forgetEnded(now: number): void {
    for (const [key, { endsAt }] of this.windows) {
      if (endsAt > now) break;
      this.windows.delete(key);
    }
  }
}
