import { randomHex } from './random-names';

/** Strings and numbers of a JSON text. Without the strings, a digit may stand in one. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * Reads a JSON text whose integers beyond 2^53 become a `bigint`. Other values are as `JSON.parse` reads them.
 *
 * @throws SyntaxError
 */
export function parseExactly(json: string): unknown {
  if (!/\d{16}/.test(json)) return JSON.parse(json);
  // Nobody who wrote the text could know it, so no string of the text begins with it.
  const mark = randomHex(16);
  const marked = json.replace(tokens, (token) => (isLarge(token) ? `"${mark}${token}"` : token));
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

function isLarge(token: string): boolean {
  return /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
}

/** The same response, whose body is read by {@link parseExactly}. */
export async function exactResponse(response: Response): Promise<Response> {
  if (!response.ok) return response;
  const text = await response.text();
  const headers = new Headers(response.headers);
  // openapi-fetch calls `json` for a body whose length it knows.
  headers.set('Content-Length', String(text.length));
  const read = new Response(text, { status: response.status, headers });
  return Object.assign(read, { json: async () => parseExactly(await read.text()) });
}
