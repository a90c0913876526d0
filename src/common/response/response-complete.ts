import type { ServerResponse } from 'node:http';
import { whenClosed } from '../request/when-closed';

const MADE = 'made';

/** Announces that the text of a response is complete, so that the work on its request is over. */
export function announceMade(response: ServerResponse): void {
  response.emit(MADE);
}

/**
 * Calls the listener when a response is made, and at the latest when its request is over; possibly twice. Resources of
 * the work are released here and not when the client has received the response: see UnreadResponses for the cost of that.
 */
export function whenMade(response: ServerResponse, listener: () => void): void {
  response.once(MADE, listener);
  whenClosed(response, listener);
}
