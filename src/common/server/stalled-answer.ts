import type { ServerResponse } from 'node:http';

/** Milliseconds after which a client that takes nothing of its answer is cut off. */
export const STALLED_AFTER = 30_000;

/**
 * Cuts the connections of clients that take nothing of their answers: what they do not read stays in our memory. The time
 * runs while something is left that the system did not take, which is so of no small answer to a client that reads.
 *
 * @param answers the prototype of the answers. It is changed, and not each answer: an answer with a method of its own costs
 *   the engine so much that all else of a small request takes a fifth longer.
 * @param limit milliseconds
 */
export function cutWhenStalled(answers: ServerResponse, limit = STALLED_AFTER): void {
  for (const name of ['write', 'end']) {
    // Some of their overloads, to be called on any answer.
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
  // Of requests that came together, an answer has its connection once those before it are out.
  if (socket === null) {
    if (answer.writableEnded) answer.setTimeout(limit);
  } else if (socket.writableLength > 0 && socket.timeout !== limit) {
    // Node closes a connection whose time is over, and sets another time when the answer is out.
    socket.setTimeout(limit);
  }
}
