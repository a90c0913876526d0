import { isJsonObject, type JsonObject } from '@app/mapper';
import { ApiError } from '../../../common/errors/api-error';
import { PlatformRefused } from '../../platform-error';
import { requestedPauseMs, responseFacts } from '../../live/pacing/response-facts';
import type { PlatformResponse } from '../../live/transport/platform-response';
import type { PlatformResult } from '../../live/transport/platform-result';
import { platformErrorOf } from '../../live/transport/result-error';
import { platformALimits } from '../limits';
import type { Session, WriteCall } from '../wire/session';
import { isOutage } from './outage';
import { refusalWords } from './refusal-words';
import type { WritingTimes } from './times';

/** What became of one call that writes. */
export type SendResult =
  /** The platform says that it did it. The body may be missing where the answer was cut. */
  | { readonly status: 'done'; readonly body: JsonObject | undefined }
  | { readonly status: 'rejected'; readonly reason: string; readonly isGone: boolean }
  /** Nothing happened. */
  | { readonly status: 'deferred'; readonly until: Date; readonly reason: string }
  | { readonly status: 'uncertain' };

/** What is said of a record that cannot be found. */
export const NOT_FOUND_WORDS = 'is not there any more, or not to be seen';

const passing: ReadonlySet<number> = new Set([408, 500, 502, 504]);

/** Sends one call that writes, once, and says what its end means. Throws nothing that the platform or the network does. */
export async function sendWrite(
  session: Session,
  call: WriteCall,
  times: Pick<WritingTimes, 'retry' | 'refused'>,
): Promise<SendResult> {
  const after = (ms: number): Date => session.after(ms);
  let result: PlatformResult;
  try {
    result = await session.write(call);
  } catch (error) {
    // It may be on its way.
    if (session.signal.aborted) return { status: 'uncertain' };
    // No token, or no answer of the rate limiter: then nothing was sent.
    if (isOutage(error)) return deferredBy(error, times, after);
    throw error;
  }
  const { platform } = session.connection;
  switch (result.kind) {
    case 'not_sent': {
      const reason = platformErrorOf(platform, result).message;
      return { status: 'deferred', until: result.until ?? after(times.retry), reason };
    }
    case 'unknown':
      // The head of such an answer says that nothing happened, and that it may be sent again.
      if (result.status === 401 || result.status === 429) {
        const reason = platformErrorOf(platform, result).message;
        return { status: 'deferred', until: after(times.refused), reason };
      }
      return result.status !== undefined && isRefusal(result.status)
        ? { status: 'rejected', reason: `${platform} refused it (${result.status})`, isGone: false }
        : { status: 'uncertain' };
    case 'answered': {
      const { response } = result;
      const { status } = response;
      if (response.ok) return { status: 'done', body: objectIn(response) };
      const asked = requestedPauseMs(responseFacts(response, platformALimits.headers));
      if (status === 429 || (status === 503 && asked !== undefined)) {
        const reason = platformErrorOf(platform, result).message;
        return { status: 'deferred', until: after(asked ?? times.retry), reason };
      }
      if (status === 401) {
        const reason = `${platform} refused the access token (401)`;
        return { status: 'deferred', until: after(times.refused), reason };
      }
      if (status === 404)
        return { status: 'rejected', reason: `the record ${NOT_FOUND_WORDS}`, isGone: true };
      if (!isRefusal(status)) return { status: 'uncertain' };
      const reason = refusalWords(response) ?? `${platform} refused it (${status})`;
      return { status: 'rejected', reason, isGone: false };
    }
  }
}

/**
 * What an error means that comes before anything is sent.
 *
 * @param after the time so many milliseconds from now, by the database's clock
 */
export function deferredBy(
  error: Error,
  times: Pick<WritingTimes, 'retry' | 'refused'>,
  after: (milliseconds: number) => Date,
): Extract<SendResult, { status: 'deferred' }> {
  const asked = error instanceof ApiError ? Number(error.headers['Retry-After'] ?? NaN) : NaN;
  const usual = error instanceof PlatformRefused ? times.refused : times.retry;
  const ms = Number.isFinite(asked) ? asked * 1000 : usual;
  const reason = error instanceof ApiError ? error.message : 'the database does not answer';
  return { status: 'deferred', until: after(ms), reason };
}

/** A 4xx that says no. Redirects lead nowhere we would send a write to. */
function isRefusal(status: number): boolean {
  return status >= 300 && status < 500 && !passing.has(status);
}

function objectIn(response: PlatformResponse): JsonObject | undefined {
  const body = response.json();
  return body.kind === 'json' && isJsonObject(body.value) ? body.value : undefined;
}
