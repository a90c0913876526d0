import type { ServerResponse } from 'node:http';

/** Milliseconds after which a client that does not read its response is cut off. */
export const STALLED_AFTER = 30_000;

/**
 * Cuts the connections of clients that do not read their responses, because unread data stays in this process's memory.
 * The time runs while the system has not accepted all data, which is the case for any large response, even if its
 * client reads.
 *
 * @param answers the prototype of the responses. The prototype is changed and not each response, because a response
 *   with a method of its own costs the engine so much that the rest of a small request takes a fifth longer.
 * @param limit milliseconds
 */
export function cutWhenStalled(answers: ServerResponse, limit = STALLED_AFTER): void {
  for (const name of ['write', 'end']) {
    // Some of their overloads, called on any response.
    const send = Reflect.get(answers, name) as (this: ServerResponse, ...given: unknown[]) => unknown;
    const sendAndWatch = function (this: ServerResponse, ...given: unknown[]): unknown {
      const result = send.apply(this, given);
      watch(this, limit);
      return result;
    };
    Reflect.set(answers, name, sendAndWatch);
  }
}

function watch(answer: ServerResponse, limit: number): void {
  const { socket } = answer;
  // The response to a pipelined request gets its connection after the earlier responses are sent.
  if (socket === null) {
    if (answer.writableEnded) answer.setTimeout(limit);
  } else if (socket.writableLength > 0 && socket.timeout !== limit) {
    // Node closes a connection whose time is over, and sets another time when the response is sent.
    socket.setTimeout(limit);
  }
}
