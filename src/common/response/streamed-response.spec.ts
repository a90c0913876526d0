import { StreamableFile } from '@nestjs/common';
import { text } from 'node:stream/consumers';
import { streamedResponse } from './streamed-response';
import { StreamedJson, type JsonPiece } from './handler-results';

const long = JSON.stringify('x'.repeat(100_000));

function streamOf(answer: JsonPiece | StreamableFile) {
  if (!(answer instanceof StreamableFile)) throw new Error('the answer is no stream');
  return answer.getStream();
}

async function* pieces<Piece>(...texts: Piece[]): AsyncGenerator<Piece> {
  for (const piece of texts) yield await Promise.resolve(piece);
}

async function* piecesThenFailure(...texts: string[]): AsyncGenerator<string> {
  yield* pieces(...texts);
  throw new Error('no database');
}

describe('streamedResponse', () => {
  it('gives a short result as text in its envelope', async () => {
    await expect(streamedResponse(new StreamedJson(pieces('[1', ',2]')), false)).resolves.toBe(
      '{"data":[1,2]}',
    );
  });

  it('takes bytes as they are, beside text', async () => {
    const answer = await streamedResponse(
      new StreamedJson(pieces<JsonPiece>('[', Buffer.from('"é"'), ']')),
      false,
    );
    expect(answer).toBe('{"data":["é"]}');
    const bytes = Buffer.from(`"${'é'.repeat(100_000)}"`);
    const long = await streamedResponse(
      new StreamedJson(pieces<JsonPiece>('[', bytes, ',', bytes, ',1]')),
      false,
    );
    const whole = String(bytes);
    await expect(text(streamOf(long))).resolves.toBe(`{"data":[${whole},${whole},1]}`);
  });

  it('puts no envelope around a bare one', async () => {
    await expect(streamedResponse(new StreamedJson(pieces('{}')), true)).resolves.toBe('{}');
  });

  it.each([
    [false, `{"data":[${long},${long},1]}`],
    [true, `[${long},${long},1]`],
  ])('streams a long result, whole (bare: %s)', async (bare, expected) => {
    const answer = await streamedResponse(new StreamedJson(pieces('[', long, ',', long, ',1]')), bare);
    expect(answer).toBeInstanceOf(StreamableFile);
    await expect(text(streamOf(answer))).resolves.toBe(expected);
  });

  it('streams a result that ends with a portion', async () => {
    const answer = await streamedResponse(new StreamedJson(pieces(long)), true);
    await expect(text(streamOf(answer))).resolves.toBe(long);
  });

  it('throws what fails before the first portion is whole', async () => {
    const failing = new StreamedJson(piecesThenFailure('['));
    await expect(streamedResponse(failing, false)).rejects.toThrow('no database');
  });

  it('breaks the stream when a later part fails', async () => {
    const failing = new StreamedJson(piecesThenFailure(long));
    await expect(text(streamOf(await streamedResponse(failing, false)))).rejects.toThrow('no database');
  });

  it.each(['unread', 'half read'])('ends the source when the stream is destroyed %s', async (state) => {
    let ended: (() => void) | undefined;
    const end = new Promise<void>((resolve) => (ended = resolve));
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield await Promise.resolve(long);
      } finally {
        ended?.();
      }
    }
    const stream = streamOf(await streamedResponse(new StreamedJson(endless()), false));
    if (state === 'half read') await stream[Symbol.asyncIterator]().next();
    stream.destroy();
    await expect(end).resolves.toBeUndefined();
  });
});
