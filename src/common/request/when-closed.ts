import type { ServerResponse } from 'node:http';

/**
 * Calls the listener once, when the response is sent or its client has disconnected; at once if that has already
 * happened. Resources of a request are released here, because a listener for `close` that is added after an await may
 * be too late.
 */
export function whenClosed(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener();
  else response.once('close', listener);
}
