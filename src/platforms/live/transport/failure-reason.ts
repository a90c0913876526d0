import type { NotSent, NotSentReason, Unknown, UnknownReason } from '../platform-result';

// Reasons by the error codes of undici and Node. The messages are not used: they may quote what was sent.
const beforeSending: Readonly<Record<string, NotSentReason>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'name',
  EAI_AGAIN: 'name',
  ETIMEDOUT: 'connect_timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  UND_ERR_INVALID_ARG: 'malformed',
  UND_ERR_NOT_SUPPORTED: 'malformed',
  UND_ERR_DESTROYED: 'closed',
  UND_ERR_CLOSED: 'closed',
};

/** Node's names of the OpenSSL errors for certificates that it does not trust. */
const certificate = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY|DECODE)|PATH_LENGTH|HOSTNAME_MISMATCH/;

const afterSending: Readonly<Record<string, UnknownReason>> = {
  UND_ERR_HEADERS_TIMEOUT: 'headers_timeout',
  UND_ERR_BODY_TIMEOUT: 'body_timeout',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'truncated',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'too_large',
  UND_ERR_HEADERS_OVERFLOW: 'nonsense',
};

/** The outcome of a request of which no byte was written. */
export function notSent(error: unknown): NotSent {
  const code = codeOf(error);
  const reason = beforeSending[code] ?? (certificate.test(code) ? 'certificate' : 'unreachable');
  return { kind: 'not_sent', reason };
}

/**
 * The outcome of a request that was begun.
 *
 * @param status of the answer, if its head came
 */
export function unknownOutcome(error: unknown, status: number | undefined): Unknown {
  const code = codeOf(error);
  const before = isParserError(error) ? 'nonsense' : 'reset';
  const reason = afterSending[code] ?? (status === undefined ? before : 'truncated');
  return { kind: 'unknown', reason, ...(status !== undefined && { status }) };
}

// Not every one of undici's has a code.
function isParserError(error: unknown): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, 'name') === 'HTTPParserError';
}

/** The code of an error; of several attempts at one connection (IPv4, IPv6) that of the last. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const several: unknown = Reflect.get(error, 'errors');
  if (Array.isArray(several) && several.length > 0) return codeOf(several.at(-1));
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : '';
}
