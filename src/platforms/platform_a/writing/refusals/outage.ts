import { ApiError } from '../../../../common/errors/api-error';
import { isDatabaseOutage } from '../../../live/database-outage';

/** Whether an error means that a platform or the database is unavailable. */
export function isOutage(error: unknown): error is Error {
  return error instanceof ApiError || isDatabaseOutage(error);
}

/**
 * Awaits a read after a write; undefined if the platform or the database is unavailable. The write has happened, so
 * the outage must not fail it.
 */
export async function orUndefinedDuringOutage<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isOutage(error)) return undefined;
    throw error;
  }
}
