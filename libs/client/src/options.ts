import type { RetryPolicy } from './retry';
import type { Transport } from './transport';

/** The settings of a client. */
export interface ClientOptions {
  /** Address of the service, without a path: `https://translate.example.org`. */
  readonly baseUrl: string;
  /** The key to call with; without one, only health and opening a demo session work. */
  readonly apiKey?: string;
  /** How the client repeats calls that did not reach the service, or got 429, 502, 503, or a 409 with `Retry-After`. */
  readonly retries?: Partial<RetryPolicy>;
  /**
   * Milliseconds that one attempt may take; 30 s by default. A connect of a large platform and a large file take
   * longer, and a request of the caller's own to a platform may take a minute.
   */
  readonly timeout?: number;
  /**
   * Whether the client generates an idempotency key for each call that accepts one and has none, except connects and
   * dry runs, so that it may repeat the call. False by default: the service stores the response of each key for a day,
   * and the caller cannot use a generated key again.
   */
  readonly generateIdempotencyKeys?: boolean;
  /**
   * Whether sums beyond 2^53 in statements, sign-offs and cases are read as `bigint`; their type is declared as
   * `number`. False by default: such numbers are rounded. Amounts of single records are never so large.
   */
  readonly bigSums?: boolean;
  /** Replaces the global fetch. */
  readonly fetch?: Transport['fetch'];
  /** Replaces waiting between attempts. */
  readonly wait?: Transport['wait'];
}

/** The options of one call. */
export interface CallOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal;
  /**
   * Whether the client may repeat the call. By default it may repeat reads, previews, connects and calls with an idempotency key,
   * but no other changes.
   */
  readonly retry?: boolean;
  /** Sent as X-Request-ID: `req_` and 8 to 64 letters or digits. By default a new one for each call. */
  readonly requestId?: string;
  /** Called with the status, IDs and tag of an answer, for successes and refusals. */
  readonly onResponse?: (facts: ResponseFacts) => void;
}

/** A call with an effect. */
export interface EffectOptions extends CallOptions {
  /**
   * 1 to 255 visible ASCII characters (no blank) that identify this effect. Requests with the same key within a day
   * have one effect and get one response.
   */
  readonly idempotencyKey?: string;
}

/** A change of a record. */
export interface ChangeOptions extends EffectOptions {
  /** The `version` that the change was made for. If the object now has another version, the call throws with `conflicts`. */
  readonly ifMatch?: string;
}

/** A review of one case. */
export interface ReviewOptions extends EffectOptions {
  /** The `version` of the case that the person looked at. If the case now has another one, the call throws with `cases`. */
  readonly ifMatch?: string;
}

/** A reading of one object. */
export interface ObjectOptions extends CallOptions {
  /** Shows the object as of this time. */
  readonly asOf?: Date | string;
  /**
   * The `etag` of a response that the caller already has. If the response has not changed, the call resolves to
   * undefined.
   */
  readonly ifNoneMatch?: string;
}

/** What came with an answer. */
export interface ResponseFacts {
  readonly status: number;
  readonly requestId: string;
  /** Whether this is the stored answer of an earlier request with the same idempotency key. */
  readonly replayed: boolean;
  /** The entity tag of the answer, for `ifNoneMatch`, without its quotation marks. Absent where the answer has none. */
  readonly etag?: string;
}
