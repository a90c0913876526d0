import type { ServerResponse } from 'node:http';
import { whenClosed } from '../request/when-closed';

const MADE = 'made';

/** Says that the text of an answer is there: its request is worked on no more. */
export function announceMade(response: ServerResponse): void {
  response.emit(MADE);
}

/**
 * Calls the listener when an answer is made, and at the latest when its request is over; maybe twice. What a request needs while
 * it is worked on is released here, not when its client has taken the answer: see UnreadAnswers for what that costs.
 */
export function whenMade(response: ServerResponse, listener: () => void): void {
  response.once(MADE, listener);
  whenClosed(response, listener);
}
