import { PlatformFailure } from '../connectors/platform-failure';
import { ApiError } from '../errors/api-error';

/** What a client reads when a platform did not do its part: its name and status. Other errors stay as they are. */
export function asAnswered(error: unknown): unknown {
  return error instanceof PlatformFailure
    ? new ApiError('EXTERNAL_SERVICE_ERROR', error.message, { cause: error })
    : error;
}
