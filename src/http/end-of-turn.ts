/** Answers that wait for each other at most, so that the first is not kept back by more than a few milliseconds of work. */
const MOST = 32;

let waiting: (() => void)[] = [];

/**
 * Sends an answer behind the work of this turn of the event loop, together with the others that are ready by then. Several
 * answers one after the other cost much less than each between two pieces of work: the system wakes their readers once, and
 * neither its code nor ours has to be fetched again for each. A lone answer goes out in the same turn.
 *
 * @param send must not throw: what can fail is done before
 */
export function atEndOfTurn(send: () => void): void {
  waiting.push(send);
  if (waiting.length === 1) setImmediate(sendWaiting);
  else if (waiting.length === MOST) sendWaiting();
}

/** Sends at once what waits for the end of the turn: for those who are about to end a connection. */
export function sendWaiting(): void {
  const all = waiting;
  waiting = [];
  for (const send of all) send();
}
