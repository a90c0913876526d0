import { isJsonObject } from '@app/mapper';
import { SimulatedClock, StateFile } from '../server';

/** Real milliseconds between two writes of the time. */
const KEPT_EVERY = 1_000;

/** A clock whose time is kept in a file. */
export interface KeptClock {
  readonly clock: SimulatedClock;
  /** Stores the last time. */
  readonly close: () => void;
}

/**
 * A clock that never goes back across restarts. A fast clock runs ahead of real time. Without its file, records
 * written after a restart would be older than earlier ones, and a client that reads changes would miss them.
 *
 * @param file stores the time; without it the time is kept in memory only
 */
export function keptClock(file: string | undefined, factor: number): KeptClock {
  const kept = StateFile.read(file);
  const last = isJsonObject(kept) && typeof kept['now'] === 'number' ? kept['now'] : 0;
  // A kill loses at most the time between two writes and the duration of a write.
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
