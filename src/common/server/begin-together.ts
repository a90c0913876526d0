import { TurnBatch } from '../../runtime/fairness/turn-batch';

/** Maximum number of requests that begin together. */
const MOST = 32;

const arrived = new TurnBatch<() => void>(MOST, (begin) => begin());

/**
 * Begins a request when the event loop has read what has arrived on all connections, together with the others that arrived.
 * The steps of these requests then run side by side, see {@link TurnBatch}.
 */
export function beginTogether(begin: () => void): void {
  arrived.add(begin);
}
