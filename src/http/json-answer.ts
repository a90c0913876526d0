import type { ServerResponse } from 'node:http';

/** Sends a whole answer of JSON text, with the status and the headers that were set before. */
export function sendJson(response: ServerResponse, text: string): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}
