import { isJsonObject, type JsonValue } from '@app/mapper';
import type { Request } from 'express';
import { invalidInput } from '../errors/api-error';
import { headerValues } from '../headers/header-values';
import { headerParameter } from '../request/header-parameter';
import { digestOf } from './digest';

/** Milliseconds for which a key's first response is stored. */
export const KEPT_FOR = 86_400_000;

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** Chosen by the client: 1 to 255 visible ASCII characters. */
  readonly key: string;
  /** Digest of method, path and body. */
  readonly digest: string;
}

const NAME = 'Idempotency-Key';
const mustBe = 'must be one key of 1 to 255 visible ASCII characters';
const form = /^[\x21-\x7e]{1,255}$/;

/**
 * The idempotency key of a request; undefined without one. The endpoint passes it to {@link Idempotency.answer}.
 *
 * @throws ApiError VALIDATION_ERROR for a malformed key, or for two keys
 */
export const RequestKey = headerParameter(
  {
    name: NAME,
    required: false,
    description:
      'A key of your choice for this request, 1 to 255 visible ASCII characters, such as a UUID. If the same request is sent again with the same key within 24 hours, it has no second effect: the service returns the first response, with `Idempotent-Replayed: true`. It answers 409 while the first request runs, and if the body or the path differs. It does not store responses 400, 401, 429, 500 and 502, nor a 409 because other work is under way.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  keyedRequest,
);

function keyedRequest(request: Request): KeyedRequest | undefined {
  const [key, ...others] = headerValues(request, 'idempotency-key');
  if (key === undefined) return undefined;
  if (others.length > 0) throw invalidInput([`the header ${NAME} ${mustBe}`]);
  // The guard has parsed it. The pipe refuses a body that is not an object.
  const parsed = request.body as JsonValue | undefined;
  const digest = digestOf(request.method, request.path, isJsonObject(parsed) ? parsed : {});
  return keyedBy(key, digest, `the header ${NAME}`);
}

/**
 * A request under a key that did not come in a header.
 *
 * @param name of the key in messages
 * @throws ApiError VALIDATION_ERROR for a malformed key
 */
export function keyedBy(key: string, digest: string, name: string): KeyedRequest {
  if (!form.test(key)) throw invalidInput([`${name} ${mustBe}`]);
  return { key, digest };
}
