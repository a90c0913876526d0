import type { ServerResponse } from 'node:http';

/** Milliseconds after which a client that takes nothing of its answer is cut off. */
export const STALLED_AFTER = 30_000;

/**
 * Cuts the connection of a client that takes nothing of its answer: what it does not read stays in our memory. The time
 * runs from the status line on: before that, the client waits for us.
 */
export function cutWhenStalled(response: ServerResponse, limit = STALLED_AFTER): void {
  const writeHead = response.writeHead.bind(response) as (...head: unknown[]) => ServerResponse; // One of its overloads.
  response.writeHead = (...head: unknown[]): ServerResponse => {
    response.setTimeout(limit, () => response.destroy());
    return writeHead(...head);
  };
}
