import { HEARTBEAT_PAUSE_MS, PROBE_LIMIT_MS } from './limits';

/**
 * What a database answers to a trivial statement: the result (`ready`); an error of its own, such as that it has no
 * connection left (`refusing`); nothing within the probe's limit (`silent`); or there is no way to it (`unreachable`).
 */
export type ProbeAnswer = 'ready' | 'refusing' | 'silent' | 'unreachable';

/** Asks the database, on another connection than the work's. Never rejects. */
export interface Heartbeat {
  answer(): Promise<ProbeAnswer>;
}

const RETRY_PAUSE_MS = 100;

/**
 * Watches over work that waits: as long as the database answers others, even with refusals, it counts as working.
 *
 * A silent one is lost. One that cannot be reached is lost after a while: a single failed connection proves little, and
 * where the server is really gone, the work's own connection mostly fails sooner.
 *
 * @param lost called once, when the database is gone, with the answer that showed it
 * @returns ends the watch
 */
export function startHeartbeat(pulse: Heartbeat, lost: (answer: ProbeAnswer) => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let unreachableSince: number | undefined;

  const isLost = (answer: ProbeAnswer, asked: number): boolean => {
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
