import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { DatabaseClient } from '../connection/database-client';

/** Bytes that are buffered before the socket accepts them. */
const PORTION = 64 * 1024;

/** The chunks could not be read; the cause is the error of their source. */
export class CopySourceFailed extends Error {}

/**
 * Runs COPY … FROM STDIN with the chunks, and reads them only as fast as the server accepts them. Each chunk is one write
 * to the socket, so callers collect many lines in a chunk (see `CopyChunks`).
 *
 * @throws CopySourceFailed when reading the chunks failed; the server discards the copy
 */
export async function copyIn(
  client: DatabaseClient,
  sql: string,
  chunks: AsyncIterable<Buffer>,
): Promise<void> {
  const copy = client.query(copyFrom(sql));
  await pipeline(Readable.from(inTurns(chunks), { objectMode: false, highWaterMark: PORTION }), copy);
}

/** Yields to other work between two chunks. */
async function* inTurns(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of chunks) {
      yield chunk;
      // While the socket accepts everything and the chunks are in memory, this loop would never wait. The process could then
      // neither read a refusal of the server nor serve other requests.
      await turnOfTheLoop();
    }
  } catch (error) {
    throw new CopySourceFailed('The chunks to copy could not be read', { cause: error });
  }
}
