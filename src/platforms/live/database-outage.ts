import { DatabaseUnavailable, isLockFailure } from '../../database/connection/database-errors';
import { Overloaded } from '../../runtime/fairness/overloaded';

/**
 * Whether an error means that the database did not respond, or had no room, when a token or a permit of the rate
 * limiter was requested. The call that needed it was not sent.
 */
export function isDatabaseOutage(error: unknown): error is Error {
  return error instanceof DatabaseUnavailable || error instanceof Overloaded || isLockFailure(error);
}

/** The reason of such an error, for people. */
export const DATABASE_AWAY = 'the database does not answer';
