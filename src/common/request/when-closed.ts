import type { ServerResponse } from 'node:http';

/**
 * Calls the listener once, when the answer is out or its client is gone; at once if that has happened already. Whatever is held
 * for a request is released here: a listener for `close` that is added after a wait may be added too late.
 */
export function whenClosed(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener();
  else response.once('close', listener);
}
