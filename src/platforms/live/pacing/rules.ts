/** How much of a window is left to others, and to writes: a number of calls, or a share with a least number of them. */
export type Reserve = { readonly calls: number } | { readonly share: number; readonly least?: number };

/** A limit of the calls in any stretch of `lengthMs` milliseconds. */
export interface WindowRule {
  /** The key of its counts in the stored state. */
  readonly name: string;
  /** Calls, until the platform states another limit. */
  readonly limit: number;
  readonly lengthMs: number;
  /** The part that ordinary reads leave. Writes may use it. */
  readonly reserve: Reserve;
}

/** A bucket of tokens, one for each call. */
export interface BucketRule {
  readonly perSecond: number;
  /** The most tokens that it holds: so many calls may start at once after a pause. */
  readonly burst: number;
}

/**
 * The pause of all calls after a refusal that names no time, in milliseconds. Each further refusal doubles it, and a
 * random part is added.
 */
export interface CoolOffRule {
  /** Statuses that are refusals. Any other status is one if it comes with `Retry-After`. */
  readonly statuses: readonly number[];
  readonly firstMs: number;
  readonly mostMs: number;
  /**
   * Milliseconds that are added to every pause, times a random number from one to four: platforms name whole seconds,
   * perhaps rounded down.
   */
  readonly marginMs: number;
}

/**
 * Lower-case names of the headers in which a platform reports the rest of a window; `reset` is in seconds of Unix time.
 */
export interface LimitHeaders {
  readonly limit: string;
  readonly remaining: string;
  readonly reset: string;
  /** Whether a response describes the window that is nearest to its end. Every other window then has as much left. */
  readonly nearest: boolean;
}

/** How many calls a platform takes from one credential. */
export interface RateLimitRules {
  /** The most concurrent calls. */
  readonly mostAtOnce: number;
  /** From the shortest to the longest. */
  readonly windows: readonly WindowRule[];
  readonly bucket?: BucketRule;
  readonly coolOff: CoolOffRule;
  readonly headers?: LimitHeaders;
}

/** The calls of a window that ordinary reads leave: at most half of it, so that reads get the rest. */
export function reserveOf({ reserve }: WindowRule, limit: number): number {
  const calls =
    'calls' in reserve ? reserve.calls : Math.max(reserve.least ?? 0, Math.ceil(reserve.share * limit));
  return Math.min(calls, Math.floor(limit / 2));
}
