import type { NotSentReason, PlatformResult, UnknownReason } from '../platform-result';

/** Attempts at one read. */
export const MOST_ATTEMPTS = 6;

/** The first pause at most, in milliseconds. Each that follows may be twice as long. */
const FIRST_PAUSE_MS = 500;
const LONGEST_BACK_OFF_MS = 20_000;

const passingStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

// Reasons that a retry does not change.
const lasting: ReadonlySet<NotSentReason | UnknownReason> = new Set<NotSentReason | UnknownReason>([
  'certificate',
  'foreign_address',
  'malformed',
  'closed',
  'rate_limiter',
  'given_up',
  'too_large',
]);

/** Whether another attempt at a read may bring more. 408 is left to the caller, who can ask for less. */
function isPassing(result: PlatformResult): boolean {
  if (result.kind !== 'answered') return !lasting.has(result.reason);
  return passingStatuses.has(result.response.status);
}

/** What is known when an attempt at a read has ended. */
export interface Attempted {
  readonly result: PlatformResult;
  /** This one included. */
  readonly attempts: number;
  /** Milliseconds that are left for the call. */
  readonly leftMs: number;
  /** The pause that the platform requests, in milliseconds; undefined if a rate limiter already enforces it. */
  readonly askedMs: number | undefined;
  /** From 0 to below 1. */
  readonly random: number;
}

/**
 * The pause before the next attempt at a read: full jitter below a bound that doubles, and never less than the platform
 * asks for.
 *
 * @returns milliseconds; undefined when the call ends with this result
 */
export function pauseBeforeRetry({
  result,
  attempts,
  leftMs,
  askedMs,
  random,
}: Attempted): number | undefined {
  if (attempts >= MOST_ATTEMPTS || !isPassing(result)) return undefined;
  const bound = Math.min(LONGEST_BACK_OFF_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
  const pause = (askedMs ?? 0) + random * bound;
  return pause < leftMs ? pause : undefined;
}
