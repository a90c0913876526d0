import { DatabaseUnavailable, isLockFailure } from '../../database/connection/database-errors';
import { Overloaded } from '../../runtime/fairness/overloaded';

/**
 * Whether an error means that the database could not be asked, for a token or for a permit of the rate limiter: it is away, or has
 * no room. A call that needs its answer was not sent.
 */
export function isDatabaseOutage(error: unknown): error is Error {
  return error instanceof DatabaseUnavailable || error instanceof Overloaded || isLockFailure(error);
}

/** The reason of such an error, for people. */
export const DATABASE_AWAY = 'the database does not answer';
