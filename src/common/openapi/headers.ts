import type { JsonObject } from '@app/mapper';

/** The response headers, as named parts of the document. Two parts describe `Retry-After`. */
export const headers: JsonObject = {
  'X-Request-ID': {
    description: 'ID of the request, to quote in questions about it.',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9A-Za-z]+$', examples: ['req_8sJk2LmQ0vTzXc4RbN1a'] },
  },
  'API-Version': {
    description: 'Version of the API.',
    required: true,
    schema: { type: 'string', examples: ['1.0'] },
  },
  'Cache-Control': {
    description: 'The response must not be cached.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  'Retry-After': {
    description: 'Seconds after which the request can succeed.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'Retry-After-Conflict': {
    description:
      'Present if the conflict passes, such as other work on the same data: seconds after which to send the request again. This request did nothing. The first one with the same `Idempotency-Key` may still run and have its effect: send the request again with the same key. Absent for every other conflict.',
    required: false,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-RateLimit-Limit': {
    description: 'Requests that an address may make in a minute.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests that are left in the minute.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'X-RateLimit-Reset': {
    description: 'Seconds until the minute is over.',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'Idempotent-Replayed': {
    description:
      'Present if the response was already sent under the same `Idempotency-Key`. Errors have it as well.',
    required: false,
    schema: { type: 'string', const: 'true' },
  },
  ETag: {
    description:
      'The version, for `If-None-Match` and `If-Match`. Its suffix changes with the rest of the response.',
    required: true,
    schema: { type: 'string', pattern: '^"[\\w-]+"$' },
  },
  Link: {
    description:
      'The next page (RFC 8288), with `rel="next"`. Absent on the last page; the list of events has none.',
    required: false,
    schema: { type: 'string' },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 9110).',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
};

const everywhere = ['X-Request-ID', 'API-Version', 'Cache-Control'];
const byStatus: Readonly<Record<string, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
};

const limited = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

/** The properties of an operation that determine its response headers. */
export interface OperationTraits {
  readonly hasLimit: boolean;
  /** Whether it takes an `Idempotency-Key`. */
  readonly hasKey: boolean;
}

/** The headers of a response with a status. */
export function headersOf(status: string, { hasLimit, hasKey }: OperationTraits): JsonObject {
  const names = [
    ...everywhere,
    ...(byStatus[status] ?? []),
    ...(hasLimit && status === '200' ? limited : []),
    ...(hasKey && status.startsWith('2') ? ['Idempotent-Replayed'] : []),
  ];
  const part = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` });
  return {
    ...Object.fromEntries(names.map((name) => [name, part(name)])),
    ...(status === '409' && { 'Retry-After': part('Retry-After-Conflict') }),
  };
}
