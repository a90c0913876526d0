import type { PlatformName } from '@app/mapper';
import { PlatformRefused, PlatformUnavailable, type PlatformError } from '../../platform-error';
import type { NotSentReason, PlatformResult, UnknownReason } from '../platform-result';

const notSent: Readonly<Record<NotSentReason, string>> = {
  refused: 'cannot be reached: the connection was refused',
  name: 'cannot be reached: the name of its host is not known',
  unreachable: 'cannot be reached: no connection came about',
  certificate: 'cannot be reached: its certificate is not trusted',
  connect_timeout: 'cannot be reached: no connection in time',
  rate_limiter: 'allows no more calls for now',
  foreign_address: 'names an address on another host',
  malformed: 'cannot be asked this: the request is no HTTP',
  given_up: 'was not asked: the attempt had no time left',
  closed: 'is not asked any more: the service is stopping',
};

const unknown: Readonly<Record<UnknownReason, string>> = {
  reset: 'broke the connection',
  headers_timeout: 'did not answer in time',
  body_timeout: 'did not end its answer in time',
  deadline: 'did not answer in time',
  truncated: 'cut its answer',
  too_large: 'gave an answer that is too large',
  nonsense: 'gave an answer that cannot be read',
};

/** Every reason in messages why a call had no usable response. docs/live-platforms.md explains each of them. */
export const callReasons: readonly string[] = [...Object.values(notSent), ...Object.values(unknown)];

/** Answers that may be better later: too long, too many, and its own faults. */
const passing = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/**
 * The error for a call that failed.
 *
 * @param result any result; for a successful response the error says that it is not understandable, for a call that was not
 *   sent when it may be sent, if that is known
 */
export function platformErrorOf(platform: PlatformName, result: PlatformResult): PlatformError {
  switch (result.kind) {
    case 'not_sent': {
      const { reason, afterMs } = result;
      return new PlatformUnavailable(platform, undefined, notSent[reason], {
        ...(afterMs !== undefined && { retryAfterSeconds: Math.max(1, Math.ceil(afterMs / 1_000)) }),
      });
    }
    case 'unknown': {
      const { status } = result;
      const after = status === undefined ? '' : ` (${status})`;
      return new PlatformUnavailable(platform, status, unknown[result.reason] + after);
    }
    case 'answered': {
      const { status, ok } = result.response;
      if (ok) return new PlatformUnavailable(platform, status, `answers nonsense (${status})`);
      return passing(status)
        ? new PlatformUnavailable(platform, status, `cannot serve now (${status})`)
        : new PlatformRefused(platform, status, `refused (${status})`);
    }
  }
}
