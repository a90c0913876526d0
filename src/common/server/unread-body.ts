import type { IncomingMessage, ServerResponse } from 'node:http';

/** Bytes of a refused body that are thrown away for the client's sake before its connection is cut. */
export const MAX_DISCARDED_BYTES = 128 * 1024 * 1024;

/**
 * Deals with bodies that were not read to their end when the answer went out (401, 404, 413, 415, …).
 *
 * Cutting the connection at once would reset it under a client that is still sending, which then never reads the
 * answer; leaving the rest unread would block the connection for its next request. So the rest is read and thrown
 * away, up to a bound; the server's request timeout bounds the time.
 *
 * @param answers the prototype of the answers, which is changed; see {@link ./stalled-answer}
 * @param bound bytes of one body
 */
export function discardUnreadBodies(answers: ServerResponse, bound = MAX_DISCARDED_BYTES): void {
  // One of its overloads, to be called on any answer.
  const end = Reflect.get(answers, 'end') as (this: ServerResponse, ...given: unknown[]) => ServerResponse;
  answers.end = function (this: ServerResponse, ...given: unknown[]): ServerResponse {
    if (!this.req.complete && mayHaveBody(this.req)) discardRest(this.req, this, bound);
    return end.apply(this, given);
  };
}

function mayHaveBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > 0;
}

function discardRest(request: IncomingMessage, response: ServerResponse, bound: number): void {
  // Before Node's own listener, which throws bodies away without counting.
  response.prependOnceListener('finish', () => {
    if (request.complete) return;
    let discarded = 0;
    request.on('error', () => undefined); // The client may leave meanwhile; it has its answer.
    request.on('data', (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > bound) request.socket.destroy();
    });
    request.resume();
  });
}
