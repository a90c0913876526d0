import type { PlatformResponse } from './platform-response';

/** Why nothing was sent. */
export type NotSentReason =
  /** Nobody listens there. */
  | 'refused'
  /** The name is not known, or cannot be looked up now. */
  | 'name'
  /** No connection came about: no route, reset while it was made, TLS that failed. */
  | 'unreachable'
  /** The server's certificate is not to be trusted. */
  | 'certificate'
  /** No connection within its time. */
  | 'connect_timeout'
  /** The rate limiter is shut for longer than the call may wait. */
  | 'gate'
  /** The address belongs to somebody else: it must not see the token. */
  | 'foreign_address'
  /** The request cannot be written as HTTP. */
  | 'malformed'
  /** The service is stopping. */
  | 'closed';

/** Why nobody knows what happened. */
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
  /** What came is not HTTP, or not compressed as it says. */
  | 'nonsense';

/** The connection was never made, or nothing of the request was written to it. Nothing happened on the platform. */
export interface NotSent {
  readonly kind: 'not_sent';
  readonly reason: NotSentReason;
  /** With `gate`: when it may be open, by the database's clock. */
  readonly until?: Date;
}

/** The request, or a part of it, went out, and no whole answer came back: it may have happened. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly reason: UnknownReason;
  /** Of the answer, where its head came. A refusal (4xx) is one even when its body is lost. */
  readonly status?: number;
}

export interface Answered {
  readonly kind: 'answered';
  readonly response: PlatformResponse;
}

/** What became of one call. */
export type PlatformResult = Answered | NotSent | Unknown;
