import type { PlatformName } from '@app/mapper';
import { ApiError } from '../common/errors/api-error';

/**
 * A platform did not fulfil a request. The message contains the platform's name and status, and nothing from the
 * response body, which may contain secrets.
 */
export class PlatformError extends ApiError {
  /**
   * @param platformStatus of the platform's answer; undefined where there was none
   * @param what what happened, in words that follow the name of the platform
   */
  constructor(
    readonly platform: PlatformName,
    readonly platformStatus: number | undefined,
    what: string,
    options: { readonly cause?: unknown; readonly retryAfterSeconds?: number } = {},
  ) {
    const { retryAfterSeconds, ...rest } = options;
    super('EXTERNAL_SERVICE_ERROR', `${platform} ${what}`, {
      ...rest,
      ...(retryAfterSeconds !== undefined && { headers: { 'Retry-After': String(retryAfterSeconds) } }),
    });
    this.name = new.target.name;
  }
}

/** The platform cannot be reached, is overloaded or returns an invalid response. A later attempt may succeed. */
export class PlatformUnavailable extends PlatformError {}

/**
 * The platform refused the request: credentials, permissions or addresses. A person must change something before an
 * attempt can succeed.
 */
export class PlatformRefused extends PlatformError {}

/** The platform does not state whether a record exists, because the record's parent cannot be read now. */
export class ExistenceUnknown extends PlatformRefused {
  /** @param why in words, or the status */
  constructor(platform: PlatformName, status: number, why: string) {
    super(platform, status, `does not say whether a record is there (${why})`);
  }
}
