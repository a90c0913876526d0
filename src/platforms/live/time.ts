import { setTimeout as sleep } from 'node:timers/promises';

/** Clock, timers and randomness for everything that waits for a platform, so that a test can replace them. */
export interface Time {
  /** Milliseconds of a clock that never goes back; only differences mean anything. */
  now(): number;
  /**
   * Resolves after so many milliseconds.
   *
   * @throws the signal's reason when it aborts
   */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 to below 1. */
  random(): number;
}

/** The real one. */
export const realTime: Time = {
  now: () => performance.now(),
  sleep: async (ms, signal) => {
    signal.throwIfAborted();
    await sleep(ms, undefined, { signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
  },
  random: () => Math.random(),
};

/** Token of the time. */
export const TIME: unique symbol = Symbol('TIME');
