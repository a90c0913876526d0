import type { PlatformResponse } from './platform-response';

/** Why nothing was sent. */
export type NotSentReason =
  /** The connection was refused. */
  | 'refused'
  /** The host name is unknown or cannot be resolved now. */
  | 'name'
  /** The connection failed: no route, a reset, or a TLS error. */
  | 'unreachable'
  /** The server's certificate is not to be trusted. */
  | 'certificate'
  /** No connection within its time. */
  | 'connect_timeout'
  /** The rate limit allows no call within the time that the call may wait. */
  | 'rate_limiter'
  /** The address is not the platform's, so the token must not be sent there. */
  | 'foreign_address'
  /** The caller gave up while the call waited for a token or for the rate limit. */
  | 'given_up'
  /** The request cannot be written as HTTP. */
  | 'malformed'
  /** The service is stopping. */
  | 'closed';

/** Why the outcome of a call is unknown. */
export type UnknownReason =
  /** The connection broke. */
  | 'reset'
  | 'headers_timeout'
  | 'body_timeout'
  /** The whole took too long. */
  | 'deadline'
  /** The answer ended before its end. */
  | 'truncated'
  /** The answer has more bytes, or more objects, lists and names, than it may have. */
  | 'too_large'
  /** The response is not valid HTTP or not compressed as declared. */
  | 'nonsense';

/** The connection was never made, or nothing of the request was written to it. Nothing happened on the platform. */
export interface NotSent {
  readonly kind: 'not_sent';
  readonly reason: NotSentReason;
  /** With `rate_limiter`: when a call may be allowed, by the database's clock. */
  readonly until?: Date;
  /** The same, in milliseconds from the result. */
  readonly afterMs?: number;
}

/** The request was sent, at least in part, and no complete response arrived. It may have been executed. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: UnknownReason;
  /** The response's status, if its head arrived. A 4xx status is a refusal even if the body is lost. */
  readonly status?: number;
}

export interface Answered {
  readonly kind: 'answered';
  readonly response: PlatformResponse;
}

/** The result of one call. */
export type PlatformResult = Answered | NotSent | Unknown;
