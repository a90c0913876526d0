import { ApiError } from '../../../../common/errors/api-error';
import { PlatformRefused } from '../../../platform-error';
import { DATABASE_AWAY } from '../../../live/database-outage';
import { requestedPauseMs, responseFacts } from '../../../live/pacing/response-facts';
import type { PlatformResult } from '../../../live/platform-result';
import { platformErrorOf } from '../../../live/transport/result-error';
import {
  UNCERTAIN,
  uncertainUntil,
  type CallResult,
  type Deferred,
  type Gone,
  type KeyTaken,
  type Rejected,
} from '../../../live/writing/send-result';
import { platformALimits } from '../../limits';
import { gatewayNotFound } from '../../wire/gateway-not-found';
import type { Session, WriteCall } from '../../wire/session';
import { isOutage } from '../refusals/outage';
import { refusalWords } from '../refusals/refusal-words';
import type { WritingTimes } from './times';

/** The reason for a record that cannot be found. */
export const RECORD_IS_GONE = 'the record is not there any more, or not to be seen';

/** Statuses that do not say whether the call had an effect. 303 names what a call has made. */
const undecided: ReadonlySet<number> = new Set([303, 408, 500, 502, 504]);

/**
 * Sends one writing call once and classifies its response. Failures of the platform or the network are results, not
 * exceptions.
 */
export async function sendWrite(
  session: Session,
  call: WriteCall,
  times: Pick<WritingTimes, 'retry' | 'refused'>,
): Promise<CallResult | Gone | KeyTaken> {
  const after = (ms: number): Date => session.after(ms);
  let result: PlatformResult;
  try {
    result = await session.write(call);
  } catch (error) {
    // The request may be on its way.
    if (session.signal.aborted) return UNCERTAIN;
    // Without a token or a permit of the rate limiter nothing was sent.
    if (isOutage(error)) return deferredBy(error, times, after);
    throw error;
  }
  const { platform } = session.connection;
  if (gatewayNotFound(platform, result) !== undefined) return UNCERTAIN;
  switch (result.kind) {
    case 'not_sent': {
      const reason = platformErrorOf(platform, result).message;
      return { status: 'deferred', until: result.until ?? after(times.retry), reason };
    }
    case 'unknown':
      // These statuses mean that nothing happened and that the call may be repeated.
      if (result.status === 401 || result.status === 429) {
        const reason = platformErrorOf(platform, result).message;
        return { status: 'deferred', until: after(times.refused), reason };
      }
      return result.status !== undefined && isRefusal(result.status)
        ? refusedWith(result.status, `${platform} refused it (${result.status})`)
        : UNCERTAIN;
    case 'answered': {
      const { response } = result;
      const { status } = response;
      if (response.ok) return { status: 'done', body: response.object };
      const asked = requestedPauseMs(responseFacts(response, platformALimits.headers));
      if (status === 429) {
        const reason = platformErrorOf(platform, result).message;
        return { status: 'deferred', until: after(asked ?? times.retry), reason };
      }
      if (status === 401) {
        const reason = `${platform} refused the access token (401)`;
        return { status: 'deferred', until: after(times.refused), reason };
      }
      if (status === 404) return { status: 'gone', reason: RECORD_IS_GONE };
      // A busy platform, or a gateway before it, may answer 503 after the effect.
      if (!isRefusal(status)) return uncertainUntil(asked === undefined ? undefined : after(asked));
      return refusedWith(status, refusalWords(response) ?? `${platform} refused it (${status})`);
    }
  }
}

/**
 * Classifies an error that occurred before anything was sent.
 *
 * @param after the time so many milliseconds from now, by the database's clock
 */
export function deferredBy(
  error: Error,
  times: Pick<WritingTimes, 'retry' | 'refused'>,
  after: (milliseconds: number) => Date,
): Deferred {
  const asked = error instanceof ApiError ? Number(error.headers['Retry-After'] ?? NaN) : NaN;
  const usual = error instanceof PlatformRefused ? times.refused : times.retry;
  const ms = Number.isFinite(asked) ? asked * 1000 : usual;
  const reason = error instanceof ApiError ? error.message : DATABASE_AWAY;
  return { status: 'deferred', until: after(ms), reason };
}

/** Whether a status is a final refusal. Redirects count too: the service never sends a write to another address. */
function isRefusal(status: number): boolean {
  return status >= 300 && status < 500 && !undecided.has(status);
}

function refusedWith(status: number, reason: string): Rejected | KeyTaken {
  return { status: status === 409 ? 'duplicate' : 'rejected', reason };
}
