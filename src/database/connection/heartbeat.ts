import { HEARTBEAT_PAUSE_MS, PROBE_LIMIT_MS } from './limits';

/**
 * The database's response to a trivial statement: its result (`ready`); an error, such as that no connection is left
 * (`refusing`); nothing within the probe's limit (`silent`); or no connection to the server (`unreachable`).
 */
export type ProbeResult = 'ready' | 'refusing' | 'silent' | 'unreachable';

/** Probes the database on a separate connection. Never rejects. */
export interface Heartbeat {
  answer(): Promise<ProbeResult>;
}

const RETRY_PAUSE_MS = 100;

/**
 * Watches work that waits for the database. While the database responds to the probe, even with refusals, it counts
 * as working.
 *
 * A silent database is lost at once. An unreachable one is lost after a while: a single failed connection proves
 * little, and if the server is really gone, the work's own connection usually fails sooner.
 *
 * @param lost called once, when the database is lost, with the response that showed it
 * @returns a function that ends the watch
 */
export function startHeartbeat(pulse: Heartbeat, lost: (answer: ProbeResult) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let unreachableSince: number | undefined;

  const isLost = (answer: ProbeResult, asked: number): boolean => {
    unreachableSince = answer === 'unreachable' ? (unreachableSince ?? asked) : undefined;
    return (
      answer === 'silent' ||
      (unreachableSince !== undefined && performance.now() - unreachableSince >= PROBE_LIMIT_MS)
    );
  };
  const beat = async (): Promise<void> => {
    const asked = performance.now();
    const answer = await pulse.answer();
    if (stopped) return;
    if (isLost(answer, asked)) lost(answer);
    else plan(answer === 'unreachable' ? RETRY_PAUSE_MS : HEARTBEAT_PAUSE_MS);
  };
  // answer() never rejects, by its contract.
  const plan = (pause: number): void => void (timer = setTimeout(() => void beat(), pause));

  plan(HEARTBEAT_PAUSE_MS);
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}
