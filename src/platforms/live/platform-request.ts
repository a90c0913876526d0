import type { PlatformResult } from './platform-result';

/** A write may have an effect on the platform; it is never sent again blindly. */
export type CallKind = 'read' | 'write';

export type RequestBody =
  /** JSON text, ready to send: numbers keep their spelling. */
  | { readonly type: 'json'; readonly text: string }
  /** Fields of a form, sent as application/x-www-form-urlencoded. */
  | { readonly type: 'form'; readonly fields: Readonly<Record<string, string>> };

/** One call to a platform. */
export interface PlatformRequest {
  readonly kind: CallKind;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** The whole address, with its query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: RequestBody;
  /** Those that differ from the usual ones of its kind. */
  readonly limits?: Partial<CallLimits>;
  /** Whether a caller of this service reads the answer as it came, so that a token in it is masked in any answer. */
  readonly answersCaller?: true;
  /** Aborts the call, which then rejects with the signal's reason. An aborted write may have been executed. */
  readonly signal: AbortSignal;
  /** Receives the result of each attempt that was sent, for counting. */
  readonly attempted?: (result: PlatformResult) => void;
}

/** How long a call may take, in milliseconds, and how much it may bring. */
export interface CallLimits {
  /** All attempts with the pauses between them. The wait at the rate limiter does not count. */
  readonly deadlineMs: number;
  /** Of each attempt: until there is a connection. */
  readonly connectMs: number;
  /** From the request to the headers of its answer. */
  readonly headersMs: number;
  /** Between two chunks of the response's body. */
  readonly bodyMs: number;
  /** The longest wait at the rate limiter. After it the call is not sent. */
  readonly limiterMs: number;
  /** Bytes of the answer's body, after decompression too. */
  readonly mostBytes: number;
}

const MB = 1024 * 1024;

/**
 * A read of a run waits for the rate limiter without a limit, because a run has time, and its signal ends the wait. A write that
 * would have to wait longer returns to the outbox, which keeps the order of writes. A read of a command waits as long as a write.
 */
const USUAL_LIMITS: Readonly<Record<CallKind, CallLimits>> = {
  read: {
    deadlineMs: 180_000,
    connectMs: 5_000,
    headersMs: 60_000,
    bodyMs: 30_000,
    limiterMs: Infinity,
    mostBytes: 32 * MB,
  },
  write: {
    deadlineMs: 120_000,
    connectMs: 5_000,
    headersMs: 90_000,
    bodyMs: 30_000,
    limiterMs: 10_000,
    mostBytes: 8 * MB,
  },
};

/** The limits of a call. */
export function limitsOf({ kind, limits }: Pick<PlatformRequest, 'kind' | 'limits'>): CallLimits {
  return { ...USUAL_LIMITS[kind], ...limits };
}
