import type { Time } from '../time';

/** Time that passes only in sleeps: each sleep ends at once, and the clock is later by it. */
export class ManualTime implements Time {
  readonly slept: number[] = [];
  private clock = 0;

  /** @param chance what `random` returns */
  constructor(private readonly chance = 0.5) {}

  now(): number {
    return this.clock;
  }

  pass(ms: number): void {
    this.clock += ms;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    await Promise.resolve();
    signal.throwIfAborted();
    this.slept.push(ms);
    this.clock += ms;
  }

  random(): number {
    return this.chance;
  }
}
