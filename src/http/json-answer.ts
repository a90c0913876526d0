import type { ServerResponse } from 'node:http';

/** Sends a whole answer of JSON text, with the status and the headers that were set before. */
export function sendJson(response: ServerResponse, text: string | Buffer): void {
  const bytes = Buffer.byteLength(text);
  begin(response, bytes);
  // Text of as many bytes as characters is ASCII, and to encode it as Latin-1 is to copy it.
  if (typeof text === 'string' && bytes === text.length) response.end(text, 'latin1');
  else response.end(text);
}

/** Sends a whole answer of JSON text in pieces, which are not copied. */
export function sendJsonPieces(response: ServerResponse, pieces: readonly (string | Buffer)[]): void {
  begin(
    response,
    pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0),
  );
  // What is written in one turn goes to the system at once.
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.end();
  response.uncork();
}

function begin(response: ServerResponse, bytes: number): void {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes);
}
