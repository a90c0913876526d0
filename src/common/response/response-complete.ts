import type { ServerResponse } from 'node:http';
import { whenClosed } from '../request/when-closed';

const COMPLETE = 'complete';

/** Announces that the text of a response is complete, so that the work on its request is over. */
export function announceComplete(response: ServerResponse): void {
  response.emit(COMPLETE);
}

/**
 * Calls the listener when a response is complete, and at the latest when its request is over; possibly twice. Resources of
 * the work are released then: a resource that waited for the client would be held as long as a slow client reads.
 */
export function whenComplete(response: ServerResponse, listener: () => void): void {
  response.once(COMPLETE, listener);
  whenClosed(response, listener);
}
