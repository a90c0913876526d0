import { startHeartbeat, type Heartbeat } from './heartbeat';
import { IDLE_STREAM_LIMIT_MS, REQUEST_LIMIT_MS } from './limits';

/**
 * How long a unit of work waits for the database. Each policy gives up a silent database within seconds. A database
 * that responds and is slow is given up
 * - `request`: when the whole work takes longer than {@link REQUEST_LIMIT_MS};
 * - `stream`: when a single wait takes longer. Work in between, such as writing to a slow reader, does not count;
 * - `bulk`: never.
 */
export type Patience = 'request' | 'stream' | 'bulk';

/** Decides when a unit of work has waited too long. */
export interface DatabaseWatch {
  /** Runs a wait for the database. The watch counts it until the returned promise settles. */
  during<T>(wait: () => Promise<T>): Promise<T>;
  stop(): void;
}

/**
 * Starts watching.
 *
 * @param lost called with the reason when the database took too long; later calls do not matter
 */
export function startWatch(
  patience: Patience,
  pulse: Heartbeat,
  lost: (reason: string) => void,
): DatabaseWatch {
  switch (patience) {
    case 'request':
      return { during: immediately, stop: startWait(REQUEST_LIMIT_MS, pulse, lost) };
    case 'stream':
      return new PerWaitWatch(pulse, lost);
    case 'bulk':
      return { during: immediately, stop: startWait(undefined, pulse, lost) };
  }
}

const immediately = async <T>(wait: () => Promise<T>): Promise<T> => wait();

/** @returns ends the wait */
function startWait(
  limitMs: number | undefined,
  pulse: Heartbeat,
  lost: (reason: string) => void,
): () => void {
  const stopHeartbeat = startHeartbeat(pulse, (answer) => lost(`The database is ${answer}`));
  const timer = limitMs && setTimeout(() => lost(`The database took more than ${limitMs} ms`), limitMs);
  return () => {
    stopHeartbeat();
    clearTimeout(timer);
  };
}

class PerWaitWatch implements DatabaseWatch {
  private waits = 0;
  private stopped = false;
  /** Ends the wait, or the pause, that is on. */
  private end = (): void => undefined;

  constructor(
    private readonly pulse: Heartbeat,
    private readonly lost: (reason: string) => void,
  ) {}

  async during<T>(wait: () => Promise<T>): Promise<T> {
    this.waits += 1;
    if (this.waits === 1) this.begin(() => startWait(REQUEST_LIMIT_MS, this.pulse, this.lost));
    try {
      return await wait();
    } finally {
      this.waits -= 1;
      if (this.waits === 0) this.begin(() => this.startPause());
    }
  }

  stop(): void {
    this.stopped = true;
    this.end();
  }

  private begin(next: () => () => void): void {
    this.end();
    if (!this.stopped) this.end = next();
  }

  private startPause(): () => void {
    const timer = setTimeout(() => this.lost('The stream was left alone too long'), IDLE_STREAM_LIMIT_MS);
    return () => clearTimeout(timer);
  }
}
