import { later } from '../../../../runtime/clock/later';
import { retryAfterMs } from '../../../live/pacing/requested-pause';
import type { PlatformResponse } from '../../../live/platform-response';
import type { PlatformResult } from '../../../live/platform-result';
import { platformErrorOf } from '../../../live/transport/result-error';
import {
  UNCERTAIN,
  uncertainUntil,
  type CallResult,
  type Deferred,
  type KeyTaken,
  type Stale,
} from '../../../live/writing/send-result';
import { failureOf, isGone, isWrongAddress, type ODataFailure } from '../../odata-failure';
import { retryTime } from './retry-time';

/** The result of one writing call, as the platform states it. */
export type SendResult =
  | CallResult
  | KeyTaken
  | Stale
  /** The call had no effect, because there is no such record. */
  | { readonly status: 'gone' };

const SECOND = 1_000;
/** The pauses after a rate limit that names none, and after refused credentials, in milliseconds. */
const AFTER_LIMIT = 30 * SECOND;
const AFTER_CREDENTIALS = 300 * SECOND;

/** Classifies the result of a call that writes. @param now the time from which a pause counts */
export function sendResultOf(result: PlatformResult, now: Date): SendResult {
  switch (result.kind) {
    case 'not_sent': {
      const until = result.until ?? retryTime(now);
      return deferred(until, platformErrorOf('platform_b', result).message);
    }
    case 'unknown': {
      const { status } = result;
      // The status of a refusal is enough, even if its body is lost.
      return status !== undefined && status >= 400
        ? refusedWith({ status, code: '', words: undefined }, now, undefined)
        : UNCERTAIN;
    }
    case 'answered': {
      const { response } = result;
      if (response.ok) return doneWith(response);
      return refusedWith(failureOf(response), now, retryAfterMs(response));
    }
  }
}

// A 200 without the record may come from a gateway, and the platform may not have got the call.
function doneWith(response: PlatformResponse): SendResult {
  const body = response.object;
  return body !== undefined || response.status === 204 ? { status: 'done', body } : UNCERTAIN;
}

/** Classifies a refusal. @param askedMs the pause that the platform asks for */
export function refusedWith(failure: ODataFailure, now: Date, askedMs: number | undefined): SendResult {
  const { status, code } = failure;
  const words = failure.words ?? `platform_b refused it (${status})`;
  if (status === 429) {
    return deferred(later(now, askedMs ?? AFTER_LIMIT), `platform_b takes no more for now (${status})`);
  }
  if (status === 401) {
    return deferred(later(now, AFTER_CREDENTIALS), `platform_b refused the credentials (${status})`);
  }
  // A busy platform, or a gateway before it, may answer 503 after the effect.
  if (status === 408 || status >= 500 || status < 400) {
    return uncertainUntil(askedMs === undefined ? undefined : later(now, askedMs));
  }
  if (code === 'Internal_EntityWithSameKeyExists') return { status: 'duplicate', reason: words };
  if (status === 409 || status === 412 || code === 'Request_EntityChanged') return { status: 'stale' };
  if (isGone(failure)) return { status: 'gone' };
  // A gateway's page, or the company or its environment is away. The service looks for the write when they are back.
  if (status === 404 && !isWrongAddress(failure)) return UNCERTAIN;
  return { status: 'rejected', reason: words };
}

function deferred(until: Date, reason: string): Deferred {
  return { status: 'deferred', until, reason };
}
