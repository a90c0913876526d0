import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ApiError, invalidInput } from '../errors/api-error';

type BodySource = IncomingMessage | Readable;

/**
 * Reads the body of a request, decompressed, up to a limit.
 *
 * It stops at the first byte beyond the limit, so that the refusal can be sent while the client is still sending;
 * what follows is {@link ./unread-body}'s to throw away. Middleware such as body-parser reads all of it first.
 *
 * @param limit bytes, both as sent and decompressed
 * @throws ApiError 413 beyond the limit, 400 when the body ends early or its compression is broken
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(bodyTooLarge(limit));
  const source = decompressed(request);
  const body = collect(request, source, limit);
  if (source === request) return body;
  return body.finally(() => {
    request.unpipe();
    source.destroy();
  });
}

function bodyTooLarge(limit: number): ApiError {
  return new ApiError('VALIDATION_ERROR', `The request body is larger than ${limit} bytes`, { status: 413 });
}

function collect(request: IncomingMessage, source: BodySource, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let sent = 0;

    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return fail(bodyTooLarge(limit));
      chunks.push(chunk);
    };
    // A compressed body may be long without giving a single byte: gzip headers hold comments of any length.
    const onSent = (chunk: Buffer) => {
      sent += chunk.length;
      if (sent > limit) fail(bodyTooLarge(limit));
    };
    const onEnd = () => resolve(whole(chunks, size));
    const onSourceError = (cause: Error) =>
      fail(invalidInput(['the body does not follow its Content-Encoding'], { cause }));
    const onEarlyEnd = () => {
      if (!request.complete) fail(invalidInput(['the body ended early']));
    };
    // What is still to come is not ours any more. Behind a whole body nothing comes.
    const fail = (error: Error) => {
      source.off('data', onData).off('end', onEnd);
      request.off('data', onSent);
      reject(error);
    };

    // Stays attached: a connection that breaks later must find a listener, or the process ends.
    request.on('error', onEarlyEnd);
    request.on('close', onEarlyEnd);
    if (source !== request) {
      source.on('error', onSourceError);
      request.on('data', onSent);
    }
    source.on('data', onData).on('end', onEnd);
  });
}

/** Most bodies come in one piece, which need not be copied. */
function whole(chunks: readonly Buffer[], size: number): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size);
}

function decompressed(request: IncomingMessage): BodySource {
  switch (request.headers['content-encoding']?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return request.pipe(createGunzip());
    case 'deflate':
      return request.pipe(createInflate());
    case 'br':
      return request.pipe(createBrotliDecompress());
    default:
      return request;
  }
}
