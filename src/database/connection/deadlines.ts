import { startHeartbeat, type Heartbeat } from './heartbeat';
import { REQUEST_LIMIT_MS } from './limits';

/**
 * How long a unit of work waits for the database. Each policy gives up a silent database within seconds. A database
 * that responds and is slow is given up
 * - `request`: when the whole work takes longer than {@link REQUEST_LIMIT_MS};
 * - `bulk`: never.
 */
export type Deadlines = 'request' | 'bulk';

/**
 * Starts to watch how long a unit of work waits for the database.
 *
 * @param lost called with the reason when the database took too long; later calls do not matter
 * @returns ends the watch
 */
export function startWatch(
  deadlines: Deadlines,
  pulse: Heartbeat,
  lost: (reason: string) => void,
): () => void {
  const stopHeartbeat = startHeartbeat(pulse, (answer) => lost(`The database is ${answer}`));
  const timer =
    deadlines === 'request'
      ? setTimeout(() => lost(`The database took more than ${REQUEST_LIMIT_MS} ms`), REQUEST_LIMIT_MS)
      : undefined;
  return () => {
    stopHeartbeat();
    clearTimeout(timer);
  };
}
