import { setTimeout as sleep } from 'node:timers/promises';
import { fc } from '../../../libs/mapper/src/testing/property';
import { filled, type ExampleRequest } from '../description/described-slots';
import { rawHttp, type RawResponse } from './raw-http';

/** A request that arrives in pieces. */
export interface SlowRequest {
  readonly pieces: readonly string[];
  /** Milliseconds between two pieces. */
  readonly pauseMs: number;
  /**
   * What the client does after the last piece: it waits for the answer, disconnects, or sends one byte a second
   * without end.
   */
  readonly then: 'waits' | 'goes' | 'trickles';
}

/** Generates requests from the examples of the description, complete or damaged, cut at any byte. */
export function slowRequests(examples: readonly ExampleRequest[], key: string): fc.Arbitrary<SlowRequest> {
  const wire = fc
    .record({
      example: fc.constantFrom(...examples),
      // The body is longer or shorter than the header says, or the header does not say its length.
      length: fc.constantFrom('right', 'right', 'right', 'longer', 'shorter', 'chunked', 'broken chunk'),
    })
    .map(({ example, length }) => wireOf(example, key, length));
  return fc
    .record({
      text: wire,
      cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
      pauseMs: fc.integer({ min: 0, max: 400 }),
      then: fc.constantFrom('waits', 'waits', 'goes', 'trickles'),
    })
    .map(({ text, cuts, pauseMs, then }) => ({ pieces: piecesOf(text, cuts), pauseMs, then }));
}

/**
 * Sends a request.
 *
 * @returns the answer, if one arrived before the connection ended
 */
export async function sendSlowly(url: string, request: SlowRequest): Promise<RawResponse | undefined> {
  let over = false;
  const sending = rawHttp(
    url,
    (socket) => {
      void (async () => {
        for (const piece of request.pieces) {
          if (over) return;
          socket.write(piece);
          await sleep(request.pauseMs);
        }
        if (request.then === 'goes') socket.destroy();
        while (request.then === 'trickles' && !over) {
          socket.write(' ');
          await sleep(1_000);
        }
      })();
    },
    1,
  );
  try {
    return (await sending)[0];
  } catch {
    return undefined; // A reset: the service closed while more came.
  } finally {
    over = true;
  }
}

function wireOf(example: ExampleRequest, key: string, length: string): string {
  const { method, path, body } = filled(example, { in: 'header', name: 'X-Request-ID' }, '');
  const head = [
    `${method} /api/v1${path} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
  ];
  if (method === 'GET') return `${head.join('\r\n')}\r\n\r\n`;
  const { framing, sent } = framed(JSON.stringify(body ?? {}), length);
  return `${[...head, framing].join('\r\n')}\r\n\r\n${sent}`;
}

/** A body with a correct or wrong header for its length. */
function framed(text: string, length: string): { readonly framing: string; readonly sent: string } {
  const bytes = Buffer.byteLength(text);
  const chunks = `${bytes.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  switch (length) {
    case 'chunked':
      return { framing: 'Transfer-Encoding: chunked', sent: chunks };
    case 'broken chunk':
      return { framing: 'Transfer-Encoding: chunked', sent: chunks.slice(1) };
    case 'longer':
      return { framing: `Content-Length: ${bytes + 9}`, sent: text };
    case 'shorter':
      return { framing: `Content-Length: ${bytes}`, sent: `${text}{"more":1}` };
    default:
      return { framing: `Content-Length: ${bytes}`, sent: text };
  }
}

function piecesOf(text: string, cuts: readonly number[]): readonly string[] {
  const places = [
    0,
    ...cuts.map((cut) => Math.floor(cut * text.length)).sort((one, other) => one - other),
    text.length,
  ];
  return places.slice(1).map((end, place) => text.slice(places[place], end));
}
