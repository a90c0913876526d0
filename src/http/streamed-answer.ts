import { StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import type { StreamedJson } from './streamed-json';

/** Characters that are gathered before they are sent: the status is decided, and each write is worth its cost. */
const PORTION = 64 * 1024;

/**
 * Begins to read a streamed result. What fits into one portion comes back as text; what is longer as a stream, which
 * reads on only as fast as the client does and stops reading when it goes away.
 *
 * The first portion is awaited here, before the status line: a database that fails by then still gives a 502.
 *
 * @param bare no `data` is put around the result
 */
export async function streamedAnswer(result: StreamedJson, bare: boolean): Promise<string | StreamableFile> {
  const pieces = result.pieces[Symbol.asyncIterator]();
  const first = await nextPortion(pieces, bare ? '' : '{"data":');
  if (first.last) return bare ? first.text : `${first.text}}`;
  const portions = new Portions(pieces, first.text, bare ? '' : '}');
  return new StreamableFile(Readable.from(portions, { objectMode: false, highWaterMark: PORTION }), {
    type: 'application/json; charset=utf-8',
  });
}

interface Portion {
  readonly text: string;
  readonly last: boolean;
}

async function nextPortion(pieces: AsyncIterator<string>, prefix = ''): Promise<Portion> {
  let text = prefix;
  while (text.length < PORTION) {
    const piece = await pieces.next();
    if (piece.done === true) return { text, last: true };
    text += piece.value;
  }
  return { text, last: false };
}

// Not a generator: one that was never started would not pass return() on to the pieces, whose work must be ended.
class Portions implements AsyncIterableIterator<string> {
  private done = false;

  constructor(
    private readonly pieces: AsyncIterator<string>,
    private first: string | undefined,
    private readonly suffix: string,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string>> {
    if (this.done) return { done: true, value: undefined };
    if (this.first !== undefined) {
      const value = this.first;
      this.first = undefined;
      return { done: false, value };
    }
    const { text, last } = await nextPortion(this.pieces);
    this.done = last;
    const value = last ? text + this.suffix : text;
    return value === '' ? { done: true, value: undefined } : { done: false, value };
  }

  async return(): Promise<IteratorResult<string>> {
    this.done = true;
    await this.pieces.return?.();
    return { done: true, value: undefined };
  }
}
