/** When a call is tried again. */
export interface RetryPolicy {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  /** Milliseconds before the second attempt, where the service does not say; doubled each time, and spread by chance. */
  readonly firstDelay: number;
  /** The longest wait in milliseconds. If the service asks for more, the call fails at once. */
  readonly longestDelay: number;
}

export const standardRetries: RetryPolicy = { attempts: 3, firstDelay: 250, longestDelay: 60_000 };

const passing = new Set([429, 502, 503]);

/**
 * Whether a repeated call may get another response.
 *
 * @param retryAfter the pause of the response's Retry-After header. The service sends a conflict with this header while other
 *   work on the same data, or the first request of an idempotency key, is under way. Every other conflict is permanent
 */
export function mayPass(status: number, retryAfter: number | undefined): boolean {
  return passing.has(status) || (status === 409 && retryAfter !== undefined);
}

/**
 * The pause of a Retry-After header in milliseconds, from seconds or a date (RFC 9110 §10.2.3). Undefined if the header
 * is absent or has neither form.
 */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/**
 * Milliseconds to wait before the next attempt; undefined when there shall be none.
 *
 * @param attempt the number of the attempt that failed, counted from 1
 * @param random from 0 to 1: half of a wait is left to chance, so that callers who failed together return apart
 */
export function delayBefore(
  policy: RetryPolicy,
  attempt: number,
  retryAfter: number | undefined,
  random: number,
): number | undefined {
  if (attempt >= policy.attempts) return undefined;
  if (retryAfter !== undefined) return retryAfter <= policy.longestDelay ? retryAfter : undefined;
  const delay = Math.min(policy.firstDelay * 2 ** (attempt - 1), policy.longestDelay);
  return delay * (0.5 + random / 2);
}
