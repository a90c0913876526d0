import { StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { JSON_TYPE, type JsonPiece, type StreamedJson, StreamedText } from './handler-results';

/**
 * Characters, or bytes, that are collected before they are sent. By then the status is decided, and each write is worth
 * its cost.
 */
const PORTION = 64 * 1024;

/**
 * Begins to read a streamed result. A result that fits into one portion is returned whole. A longer one is returned as
 * a stream, which reads only as fast as the client does and stops when the client disconnects.
 *
 * The first portion is awaited here, before the status line, so that a database failure up to then still gives a 502.
 *
 * @param bare no `data` is put around the result
 */
export async function streamedResponse(
  result: StreamedJson | StreamedText,
  bare: boolean,
): Promise<string | StreamableFile> {
  const pieces = result.pieces[Symbol.asyncIterator]();
  const first = await nextPortion(pieces, bare ? [] : ['{"data":']);
  if (first.last) return String(joined(bare ? first.pieces : [...first.pieces, '}']));
  const portions = new Portions(pieces, joined(first.pieces), bare ? [] : ['}']);
  return new StreamableFile(Readable.from(portions, { objectMode: false, highWaterMark: PORTION }), {
    type: result instanceof StreamedText ? result.type : JSON_TYPE,
  });
}

/**
 * A complete response of JSON in pieces, which are not copied and may be shared with other responses.
 *
 * @param length bytes of all of them
 */
export function piecesResponse(pieces: readonly Buffer[], length: number): StreamableFile {
  const stream = new Readable({
    // All pieces at once: they are in memory already, and are consumed one by one.
    read() {
      for (const piece of pieces) this.push(piece);
      this.push(null);
    },
  });
  return new StreamableFile(stream, { type: JSON_TYPE, length });
}

interface Portion {
  readonly pieces: readonly JsonPiece[];
  readonly last: boolean;
}

async function nextPortion(
  source: AsyncIterator<JsonPiece>,
  prefix: readonly JsonPiece[] = [],
): Promise<Portion> {
  const pieces = [...prefix];
  let length = 0;
  while (length < PORTION) {
    const piece = await source.next();
    if (piece.done === true) return { pieces, last: true };
    pieces.push(piece.value);
    length += piece.value.length;
  }
  return { pieces, last: false };
}

function joined(pieces: readonly JsonPiece[]): JsonPiece {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}

// Not a generator: a generator that was never started would not pass return() on to the pieces, whose work must be
// ended.
class Portions implements AsyncIterableIterator<JsonPiece> {
  private done = false;

  constructor(
    private readonly pieces: AsyncIterator<JsonPiece>,
    private first: JsonPiece | undefined,
    private readonly suffix: readonly JsonPiece[],
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<JsonPiece>> {
    if (this.done) return { done: true, value: undefined };
    if (this.first !== undefined) {
      const value = this.first;
      this.first = undefined;
      return { done: false, value };
    }
    const { pieces, last } = await nextPortion(this.pieces);
    this.done = last;
    const value = joined(last ? [...pieces, ...this.suffix] : pieces);
    return value.length === 0 ? { done: true, value: undefined } : { done: false, value };
  }

  async return(): Promise<IteratorResult<JsonPiece>> {
    this.done = true;
    await this.pieces.return?.();
    return { done: true, value: undefined };
  }
}
