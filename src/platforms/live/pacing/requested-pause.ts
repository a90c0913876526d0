import type { PlatformResponse } from '../platform-response';

/** The longest pause that a platform may ask for, in milliseconds: a little more than the longest window. */
export const LONGEST_PAUSE_MS = 65 * 60_000;

/**
 * The pause that a platform asks for: `Retry-After` in seconds or as a date. A date is compared with the response's own
 * `Date`, so the clocks of this service do not matter.
 *
 * @returns milliseconds; undefined if the response asks for no pause, or not in a readable way
 */
export function retryAfterMs({ headers }: Pick<PlatformResponse, 'headers'>): number | undefined {
  const asked = headers['retry-after']?.trim();
  if (asked === undefined) return undefined;
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(asked)) return Math.min(Number(asked) * 1000, LONGEST_PAUSE_MS);
  return fromDate(Date.parse(asked), headers['date']);
}

/**
 * How long it is until a moment that a platform names in seconds of Unix time.
 *
 * @returns milliseconds, 0 for a moment that has passed; undefined when it cannot be known
 */
export function untilUnixSecondsMs(
  seconds: string | undefined,
  { headers }: Pick<PlatformResponse, 'headers'>,
): number | undefined {
  if (seconds === undefined || !/^\s*\d{9,11}(?:\.\d{1,9})?\s*$/.test(seconds)) return undefined;
  return fromDate(Number(seconds) * 1000, headers['date']);
}

function fromDate(moment: number, date: string | undefined): number | undefined {
  const now = date === undefined ? NaN : Date.parse(date);
  const ms = moment - now;
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_PAUSE_MS) : undefined;
}
