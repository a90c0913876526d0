import { DatabaseUnavailable } from '../../../database/connection/database-errors';
import { ApiError } from '../../../common/errors/api-error';

/** Whether an error says that a platform, or our own database, could not be asked. */
export function isOutage(error: unknown): error is ApiError | DatabaseUnavailable {
  return error instanceof ApiError || error instanceof DatabaseUnavailable;
}

/** The result of work after something was written; undefined where the platform could not be asked. */
export async function orUndefinedDuringOutage<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isOutage(error)) return undefined;
    throw error;
  }
}
