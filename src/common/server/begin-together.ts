import { TurnBatch } from '../../runtime/fairness/turn-batch';

/** Maximum number of requests that begin together. */
const MOST = 32;

const arrived = new TurnBatch<() => void>(MOST, (begin) => begin());

/**
 * Begins a request after the event loop has read all connections in this turn, together with the other requests that
 * arrived. The steps of these requests then run in a row, see {@link TurnBatch}.
 */
export function beginTogether(begin: () => void): void {
  arrived.add(begin);
}
