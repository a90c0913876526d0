import type { ServerResponse } from 'node:http';

/** Milliseconds after which a client that takes nothing of its answer is cut off. */
export const STALLED_AFTER = 30_000;

/**
 * Cuts the connections of clients that take nothing of their answers: what they do not read stays in our memory. The time
 * runs from the status line on: before that, the client waits for us.
 *
 * @param answers the prototype of the answers. It is changed, and not each answer: an answer with a method of its own costs
 *   the engine so much that all else of a small request takes a fifth longer.
 * @param limit milliseconds
 */
export function cutWhenStalled(answers: ServerResponse, limit = STALLED_AFTER): void {
  // One of its overloads, to be called on any answer.
  const writeHead = Reflect.get(answers, 'writeHead') as (
    this: ServerResponse,
    ...head: unknown[]
  ) => ServerResponse;
  answers.writeHead = function (this: ServerResponse, ...head: unknown[]): ServerResponse {
    this.setTimeout(limit, cutOff);
    return writeHead.apply(this, head);
  };
}

function cutOff(this: ServerResponse): void {
  this.destroy();
}
