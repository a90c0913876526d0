import type { Occasion } from '@app/behaviour';
import type { SimulatedClock } from './clock';

/** Random values that are determined by the seed. Use them for secrets of a simulator only. */
export class SeededRandom {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** From 0 to below 1 (mulberry32). */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `least` to below `limit`. */
  integer(least: number, limit: number): number {
    return least + Math.floor(this.fraction() * (limit - least));
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<Value>(values: readonly Value[]): Value {
    const value = values[this.integer(0, values.length)];
    if (value === undefined) throw new Error('Nothing to pick from');
    return value;
  }

  /** A text of this number of hexadecimal digits. */
  hex(digits: number): string {
    return Array.from({ length: digits }, () => this.integer(0, 16).toString(16)).join('');
  }

  guid(): string {
    const digits = this.hex(32);
    const variant = '89ab'.charAt(this.integer(0, 4));
    return [
      digits.slice(0, 8),
      digits.slice(8, 12),
      `4${digits.slice(13, 16)}`,
      `${variant}${digits.slice(17, 20)}`,
      digits.slice(20),
    ].join('-');
  }

  /** The external input of a write of `@app/behaviour`: the time of the clock and random values. */
  occasion(clock: SimulatedClock): Occasion {
    return {
      now: clock.date(),
      integer: (least, limit) => this.integer(least, limit),
      guid: () => this.guid(),
    };
  }
}
