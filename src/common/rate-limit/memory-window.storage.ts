import type { ThrottlerStorage } from '@nestjs/throttler';
import { windowCount, type WindowCount } from './window-count';

interface Window {
  hits: number;
  readonly endsAt: number;
}

/**
 * Counts hits in windows that begin with a key's first hit. Constant time and memory for each key, where the library's
 * own storage keeps and searches a list of all hits.
 */
export class MemoryWindowStorage implements ThrottlerStorage {
  /** Keys that are remembered; beyond, the oldest window is forgotten, and its key may start anew. */
  static readonly MAX_KEYS = 100_000;

  // All windows are equally long and are inserted when they begin, so the Map's order is that of their ends.
  private readonly windows = new Map<string, Window>();

  /** @param now a clock in milliseconds that never goes back: a change of the machine's clock must not lock clients out */
  constructor(private readonly now: () => number = () => performance.now()) {}

  increment(key: string, ttl: number, limit: number): Promise<WindowCount> {
    const now = this.now();
    this.forgetEnded(now);
    const window = this.windows.get(key) ?? this.begin(key, now + ttl);
    window.hits += 1;
    return Promise.resolve(windowCount(window.hits, window.endsAt - now, limit));
  }

  /** Keys remembered at the moment. */
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
