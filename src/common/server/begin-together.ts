/** Maximum number of requests that begin together, so that the first waits for the parsing of a few others at most. */
const MOST = 32;

let arrived: (() => void)[] = [];

/**
 * Begins a request when the event loop has read what has arrived on all connections, together with the others that arrived.
 * Requests whose steps are run side by side cost much less than requests that are parsed and served one by one: the
 * processor's cache keeps the code of a step for all of them.
 */
export function beginTogether(begin: () => void): void {
  arrived.push(begin);
  if (arrived.length === 1) setImmediate(beginArrived);
  else if (arrived.length === MOST) beginArrived();
}

function beginArrived(): void {
  const all = arrived;
  arrived = [];
  for (const begin of all) begin();
}
