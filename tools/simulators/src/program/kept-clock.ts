import { isJsonObject } from '@app/mapper';
import { SimulatedClock, StateFile } from '../server';

/** How often the time is kept, in real milliseconds. */
const KEPT_EVERY = 1_000;

/** A clock whose time is kept in a file. */
export interface KeptClock {
  readonly clock: SimulatedClock;
  /** Keeps the last time. */
  readonly close: () => void;
}

/**
 * A clock that never goes back over restarts. A fast one runs ahead of the real time: without its file, what is written
 * after a restart would be older than what was written before, and a client that reads by changes would miss it.
 *
 * @param file keeps the time; in memory alone when absent
 */
export function keptClock(file: string | undefined, factor: number): KeptClock {
  const kept = StateFile.read(file);
  const last = isJsonObject(kept) && typeof kept['now'] === 'number' ? kept['now'] : 0;
  // What a kill has lost of the time is at most what passes between two writes, and the writing itself.
  const start = new Date(Math.max(Date.now(), last + 2 * KEPT_EVERY * factor));
  const clock = new SimulatedClock({ factor, start });
  const state = new StateFile(file, () => ({ now: clock.now() }));
  const timer = setInterval(() => state.changed(), KEPT_EVERY).unref();
  return {
    clock,
    close: () => {
      clearInterval(timer);
      state.changed();
      state.close();
    },
  };
}
