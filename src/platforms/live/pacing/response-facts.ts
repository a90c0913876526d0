import type { PlatformResponse } from '../platform-response';
import { retryAfterMs, untilUnixSecondsMs } from './requested-pause';
import type { LimitHeaders } from './rules';

/** The report of a platform about one of its windows. */
export interface WindowReport {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until it begins anew, by the platform's own clock; undefined where it cannot be known. */
  readonly resetMs: number | undefined;
}

/** The facts of a response about the limits. */
export interface ResponseFacts {
  readonly status: number;
  /** `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  readonly window: WindowReport | undefined;
}

/** Reads the facts about the limits from a response. */
export function responseFacts(
  response: Pick<PlatformResponse, 'status' | 'headers'>,
  names: LimitHeaders | undefined,
): ResponseFacts {
  return {
    status: response.status,
    retryAfterMs: retryAfterMs(response),
    window: names === undefined ? undefined : windowReport(response, names),
  };
}

/** The pause that an answer asks for, in milliseconds: `Retry-After`, else for a 429 the end of its window. */
export function requestedPauseMs({ status, retryAfterMs: asked, window }: ResponseFacts): number | undefined {
  return asked ?? (status === 429 ? window?.resetMs : undefined);
}

function windowReport(
  response: Pick<PlatformResponse, 'headers'>,
  names: LimitHeaders,
): WindowReport | undefined {
  const limit = countOf(response.headers[names.limit]);
  const remaining = countOf(response.headers[names.remaining]);
  if (limit === undefined || limit === 0 || remaining === undefined) return undefined;
  const resetMs = untilUnixSecondsMs(response.headers[names.reset], response);
  return { limit, remaining: Math.min(remaining, limit), resetMs };
}

/** A platform that speaks of more calls sets no limit that matters. */
const MOST_CALLS = 10_000_000;

function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,15}\s*$/.test(text) ? Math.min(Number(text), MOST_CALLS) : undefined;
}
