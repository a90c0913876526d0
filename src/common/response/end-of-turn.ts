import type { ServerResponse } from 'node:http';

/** Answers that wait for each other at most, so that the first is not kept back by more than a few milliseconds of work. */
const MOST = 32;

interface Waiting {
  readonly response: ServerResponse;
  readonly send: () => void;
}

let waiting: Waiting[] = [];

/**
 * Sends an answer behind the work of this turn of the event loop, together with the others that are ready by then. Several
 * answers one after the other cost much less than each between two pieces of work: the system wakes their readers once, and
 * neither its code nor ours has to be fetched again for each. A lone answer goes out in the same turn.
 *
 * @param send when it throws, this answer's connection is destroyed with the error, and the other answers go out
 */
export function atEndOfTurn(response: ServerResponse, send: () => void): void {
  waiting.push({ response, send });
  if (waiting.length === 1) setImmediate(sendWaiting);
  else if (waiting.length === MOST) sendWaiting();
}

/**
 * Makes whole answers wait for each other, whose length is known when they end. Their heads are made at once, so what can fail
 * fails where it did.
 *
 * @param answers the prototype of the answers, which is changed; see {@link ../server/stalled-answer}
 */
export function sendTogether(answers: ServerResponse): void {
  // One of its overloads, to be called on any answer.
  const end = Reflect.get(answers, 'end') as (this: ServerResponse, ...given: unknown[]) => ServerResponse;
  answers.end = function (this: ServerResponse, ...given: unknown[]): ServerResponse {
    if (this.headersSent || !this.hasHeader('Content-Length')) return end.apply(this, given);
    this.writeHead(this.statusCode);
    atEndOfTurn(this, () => end.apply(this, given));
    return this;
  };
}

/** Sends at once what waits for the end of the turn: for those who are about to end a connection. */
export function sendWaiting(): void {
  const all = waiting;
  waiting = [];
  for (const { response, send } of all) {
    try {
      send();
    } catch (error) {
      // Its head says how long it is, so it cannot be answered otherwise. The request log has the error.
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
