import type { ServerResponse } from 'node:http';
import { TurnBatch } from '../../../runtime/fairness/turn-batch';

/** Maximum number of responses that are sent together. */
const MOST = 32;

interface Waiting {
  readonly response: ServerResponse;
  readonly send: () => void;
}

const waiting = new TurnBatch<Waiting>(MOST, ({ response, send }) => {
  try {
    send();
  } catch (error) {
    // The head declares the length, so no other response is possible. The request log has the error.
    response.destroy(error instanceof Error ? error : new Error(String(error)));
  }
});

/**
 * Sends a response after the work of this turn of the event loop, together with the others that are ready by then.
 * Consecutive responses cost much less than responses between other work: the system wakes their readers once, and
 * neither its code nor this service's has to be loaded into the processor's cache again for each. A single response is
 * sent in the same turn.
 *
 * @param send if it throws, this response's connection is destroyed with the error, and the other responses are sent
 */
export function atEndOfTurn(response: ServerResponse, send: () => void): void {
  waiting.add({ response, send });
}

/**
 * Makes complete responses wait for each other, whose length is known when they end. Their heads are made at once, so
 * errors occur at the same place as before.
 *
 * @param answers the prototype of the responses, which is changed; see {@link ../../server/stalled-response}
 */
export function sendTogether(answers: ServerResponse): void {
  // One of its overloads, called on any response.
  const end = Reflect.get(answers, 'end') as (this: ServerResponse, ...given: unknown[]) => ServerResponse;
  answers.end = function (this: ServerResponse, ...given: unknown[]): ServerResponse {
    if (this.headersSent || !this.hasHeader('Content-Length')) return end.apply(this, given);
    this.writeHead(this.statusCode);
    atEndOfTurn(this, () => end.apply(this, given));
    return this;
  };
}

/** Sends the waiting responses at once. Callers are about to end a connection. */
export function sendWaiting(): void {
  waiting.flush();
}
