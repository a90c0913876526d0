import type { RetryPolicy } from './retry';
import type { Transport } from './transport';

/** What a client needs to know. */
export interface ClientOptions {
  /** Address of the service, without a path: `https://translate.example.org`. */
  readonly baseUrl: string;
  /** The key to call with; without one, only health and opening a demo session work. */
  readonly apiKey?: string;
  /** When calls are tried again that did not reach the service, or met 429, 502, 503, or a 409 that says when to come back. */
  readonly retries?: Partial<RetryPolicy>;
  /** Milliseconds that one try may take; 30 s by default. A connect of a large platform and a large file take longer. */
  readonly timeout?: number;
  /**
   * Whether changes and decisions without an idempotency key get a new one each, so that the client may send them again. False
   * by default: the service keeps the answer of each key for a day, and a key that only this call knows ends with it.
   */
  readonly generateIdempotencyKeys?: boolean;
  /** Replaces the global fetch. */
  readonly fetch?: Transport['fetch'];
  /** Replaces waiting between tries. */
  readonly wait?: Transport['wait'];
}

/** What one call may say. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal;
  /**
   * Whether it may be sent again. By default what is read, previewed, connected or deleted may, and so may what has an
   * idempotency key; other changes not.
   */
  readonly retry?: boolean;
  /** Sent as X-Request-ID: `req_` and 8 to 64 letters or digits. By default a new one for each call. */
  readonly requestId?: string;
  /** Hears what came with an answer, be it a success or a refusal. */
  readonly onAnswer?: (facts: AnswerFacts) => void;
}

/** A call with an effect. */
export interface EffectOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters (no blank) that name this one effect: sent again with the same key within a day, it comes once and
   * has the same answer.
   */
  readonly idempotencyKey?: string;
}

/** A change of a record. */
export interface ChangeOptions extends EffectOptions {
  /** The `version` that the change was made for. If the object has another by now, the call throws with `conflicts`. */
  readonly ifMatch?: string;
}

/** A reading of one object. */
export interface ObjectOptions extends CallOptions {
  /** Shows it as it was known at this time. */
  readonly asOf?: Date | string;
  /** A `version` that the caller has: the call resolves to undefined if it is still that. */
  readonly ifNoneMatch?: string;
}

/** What came with an answer. */
export interface AnswerFacts {
  readonly status: number;
  readonly requestId: string;
  /** Whether this is the stored answer of an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}
