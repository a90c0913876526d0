/** How much of a window is left to others, and to writes. */
export type Reserve = { readonly calls: number } | { readonly share: number };

/** At most so many calls in any stretch of so many milliseconds. */
export interface WindowRule {
  /** Under which its counts are kept. */
  readonly name: string;
  /** Until the platform names another limit. */
  readonly limit: number;
  readonly lengthMs: number;
  /** Reads leave it. Writes may use it. */
  readonly reserve: Reserve;
}

/** A bucket of tokens, one for each call. */
export interface BucketRule {
  readonly perSecond: number;
  /** Tokens that it holds, and so how many calls may go at once after a rest. */
  readonly burst: number;
}

/** The pause of all after a refusal that names no time: doubled with each that follows, with jitter. Milliseconds. */
export interface CoolOffRule {
  /** Statuses that are such a refusal. Any status is one that comes with `Retry-After`. */
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
  /** Whether an answer describes the window that is nearest to its end: each of the others has as much left, then. */
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

/** The calls that reads leave of a window. Never more than half of it: else there would be none for them. */
export function reserveOf({ reserve }: WindowRule, limit: number): number {
  const calls = 'calls' in reserve ? reserve.calls : Math.ceil(reserve.share * limit);
  return Math.min(calls, Math.floor(limit / 2));
}
