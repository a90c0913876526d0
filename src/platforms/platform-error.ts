import type { PlatformName } from '@app/mapper';
import { ApiError } from '../common/errors/api-error';

/**
 * A platform did not do what it was asked to do. The message names the platform and its status, and holds nothing that the
 * platform said: a body may contain anything.
 */
export class PlatformError extends ApiError {
  /** @param status of the platform's answer; undefined where there was none */
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

/** It cannot be reached, is overloaded or answers nonsense. Later it may work. */
export class PlatformUnavailable extends PlatformError {}

/** It answered that it will not: credentials, rights, addresses. Somebody must change something first. */
export class PlatformRefused extends PlatformError {}

/** It does not say whether there is a record: what the record stands in may not be read now. */
export class ExistenceUnknown extends PlatformRefused {
  /** @param why in words, or the status */
  constructor(platform: PlatformName, status: number, why: string) {
    super(platform, status, `does not say whether a record is there (${why})`);
  }
}
