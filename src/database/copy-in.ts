import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { DatabaseClient } from './database-client';

/** Characters that go to the socket at a time: a write for every line would cost more than the line. */
const PORTION = 64 * 1024;

/** The chunks could not be made; its cause is what their maker threw. */
export class ChunksFailed extends Error {}

/**
 * Runs COPY … FROM STDIN with what the chunks give, reading them only as fast as the server takes them.
 *
 * @throws ChunksFailed when reading the chunks failed; the server discards the copy
 */
export async function copyIn(
  client: DatabaseClient,
  sql: string,
  chunks: AsyncIterable<string | Buffer>,
): Promise<void> {
  const copy = client.query(copyFrom(sql));
  await pipeline(Readable.from(portions(chunks), { objectMode: false, highWaterMark: PORTION }), copy);
}

/** Bytes go as they are, one portion for each chunk; texts are put together. */
async function* portions(chunks: AsyncIterable<string | Buffer>): AsyncGenerator<string | Buffer> {
  let portion = '';
  try {
    for await (const chunk of chunks) {
      if (typeof chunk === 'string') {
        portion += chunk;
        if (portion.length < PORTION) continue;
        yield portion;
        portion = '';
      } else {
        if (portion !== '') yield portion;
        portion = '';
        yield chunk;
      }
      // While the socket takes all at once and the chunks are at hand, nothing here would ever wait: neither would the
      // server's refusal be read nor anybody else be served.
      await turnOfTheLoop();
    }
  } catch (error) {
    throw new ChunksFailed('The chunks to copy could not be read', { cause: error });
  }
  if (portion !== '') yield portion;
}
