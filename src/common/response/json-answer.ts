import type { ServerResponse } from 'node:http';
import { announceMade } from './answer-made';
import { atEndOfTurn } from './end-of-turn';

/** Sends a whole answer of JSON text, with the status and the headers that were set before. */
export function sendJson(response: ServerResponse, text: string | Buffer): void {
  sendText(response, text, 'application/json; charset=utf-8');
}

/**
 * The same for text of any type.
 *
 * @throws TypeError, RangeError when the status or a header is none; nothing is sent then
 */
export function sendText(response: ServerResponse, text: string | Buffer, type: string): void {
  const bytes = Buffer.byteLength(text);
  begin(response, bytes, type);
  // Text of as many bytes as characters is ASCII, and to encode it as Latin-1 is to copy it.
  const encoding = typeof text === 'string' && bytes === text.length ? 'latin1' : 'utf8';
  atEndOfTurn(response, () => response.end(text, encoding));
}

/** Sends a whole answer of JSON text in pieces, which are not copied. */
export function sendJsonPieces(response: ServerResponse, pieces: readonly (string | Buffer)[]): void {
  const bytes = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  begin(response, bytes, 'application/json; charset=utf-8');
  atEndOfTurn(response, () => {
    // What is written in one turn goes to the system at once.
    response.cork();
    for (const piece of pieces) response.write(piece);
    response.end();
    response.uncork();
  });
}

/** Makes the head of the answer, which goes out with the first of its text. */
function begin(response: ServerResponse, bytes: number, type: string): void {
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', bytes);
  response.writeHead(response.statusCode);
  announceMade(response);
}
