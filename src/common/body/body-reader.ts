import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ApiError, invalidInput } from '../errors/api-error';
import { ArrivalRate } from './arrival-rate';
import { SMALL_BODY, type ArrivingBody, type BodyBytes } from './body-memory';

type BodySource = IncomingMessage | Readable;

const FAULT = 'body fault';

/** Why bodies in progress will never be complete. */
const faults = new WeakMap<IncomingMessage, ApiError>();

/** Ends the reading of a body, now or when it begins, because the bytes on its connection are invalid or too late. */
export function endBody(request: IncomingMessage, fault: ApiError): void {
  faults.set(request, fault);
  request.emit(FAULT, fault);
}

/**
 * Reads the body of a request, decompressed, up to a limit.
 *
 * It stops at the first byte beyond the limit, so that the refusal can be sent while the client is still sending.
 * {@link ../server/unread-body} discards the rest. Middleware such as body-parser reads the whole body first.
 *
 * @param limit bytes, both as sent and decompressed
 * @param open called for a body that is not small: its bytes are counted
 * @throws ApiError 413 beyond the limit, 408 if the body arrives too slowly, 400 if it ends early or its compression is
 *   broken
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  open: (body: ArrivingBody) => BodyBytes,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.reject(bodyTooLarge(limit));
  const fault = faults.get(request);
  if (fault !== undefined) return Promise.reject(fault);
  // A destroyed stream emits no further event.
  if (request.destroyed) return Promise.reject(bodyEndedEarly());
  const source = decompressed(request);
  const body = collect(request, source, limit, open);
  if (source === request) return body;
  return body.finally(() => {
    request.unpipe();
    source.destroy();
  });
}

function bodyTooLarge(limit: number): ApiError {
  return new ApiError('VALIDATION_ERROR', `The request body is larger than ${limit} bytes`, { status: 413 });
}

function bodyEndedEarly(): ApiError {
  return invalidInput(['the body ended early']);
}

function bodyTooSlow(): ApiError {
  return invalidInput(['the body took too long to arrive'], {
    status: 408,
    headers: { Connection: 'close' },
  });
}

function collect(
  request: IncomingMessage,
  source: BodySource,
  limit: number,
  open: (body: ArrivingBody) => BodyBytes,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    let sent = 0;
    let held: BodyBytes | undefined;
    // Most bodies have arrived when they are read, and need no clock.
    const rate = request.complete ? undefined : new ArrivalRate(() => fail(bodyTooSlow()));

    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return fail(bodyTooLarge(limit));
      chunks.push(chunk);
      if (held !== undefined) held.add(chunk.length);
      else if (size > SMALL_BODY) {
        held = open({ pause, resume, refuse: fail });
        held.add(size);
      }
    };
    // A compressed body may be long without producing a byte: gzip headers may contain comments of any length.
    const onSent = (chunk: Buffer) => {
      sent += chunk.length;
      rate?.count(chunk.length);
      if (sent > limit) fail(bodyTooLarge(limit));
    };
    const onEnd = () => {
      rate?.end();
      request.off(FAULT, fail);
      held?.complete();
      resolve(whole(chunks, size));
    };
    const onSourceError = (cause: Error) =>
      fail(invalidInput(['the body does not follow its Content-Encoding'], { cause }));
    const onEarlyEnd = () => {
      if (!request.complete) fail(bodyEndedEarly());
    };
    // The rest is no longer read here. After a complete body there is no rest.
    const fail = (error: Error) => {
      source.off('data', onData).off('end', onEnd);
      request.off('data', onSent).off(FAULT, fail);
      rate?.end();
      chunks = [];
      reject(error);
    };
    const pause = (): void => {
      rate?.pause();
      source.pause();
    };
    const resume = (): void => {
      rate?.resume();
      source.resume();
    };

    // Stays attached: without a listener, a connection that breaks later would end the process.
    request.on('error', onEarlyEnd);
    request.on('close', onEarlyEnd);
    if (source !== request) source.on('error', onSourceError);
    if (source !== request || rate !== undefined) request.on('data', onSent);
    if (rate !== undefined) request.on(FAULT, fail);
    source.on('data', onData).on('end', onEnd);
  });
}

/** Most bodies arrive in one piece, which need not be copied. */
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
