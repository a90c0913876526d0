import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Bytes of a refused body that are discarded before its connection is cut, so that the client can read the response.
 */
const MAX_DISCARDED_BYTES = 128 * 1024 * 1024;

/**
 * Handles bodies that were not completely read when the response was sent (401, 404, 413, 415, …).
 *
 * Cutting the connection at once would reset it while the client is still sending, and the client would never read the
 * response. An unread rest would block the connection for its next request. The rest is therefore read and discarded,
 * up to a limit. The server's request timeout limits the time.
 *
 * @param answers the prototype of the responses, which is changed; see {@link ./stalled-response}
 * @param bound bytes of one body
 */
export function discardUnreadBodies(answers: ServerResponse, bound = MAX_DISCARDED_BYTES): void {
  // One of its overloads, called on any response.
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
  // Before Node's own listener, which discards bodies without counting.
  response.prependOnceListener('finish', () => {
    if (request.complete) return;
    let discarded = 0;
    request.on('error', () => undefined); // The client may disconnect meanwhile; it has its response.
    request.on('data', (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > bound) request.socket.destroy();
    });
    request.resume();
  });
}
