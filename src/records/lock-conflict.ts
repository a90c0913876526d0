import { ApiError } from '../common/errors/api-error';
import { isLockFailure } from '../database/connection/database-errors';
import { StillBusy } from '../runtime/fairness/overloaded';

/**
 * The message to the client when other work of the customer holds a lock for longer than a request waits, by the kind
 * of work.
 */
const answers = {
  change: 'Other work on these records is under way; try again when it is done',
  decision: 'Other work on the customer’s records is under way; try again when it is done',
  connect: 'Another connect is under way; try again when it is done',
  connection: "The customer's records are in use; try again in a moment",
  session: 'Work for this customer is still under way; delete the session when it is done',
} as const;

/**
 * Turns the failure to get a lock into the error for the client. Other errors are returned unchanged.
 *
 * @returns ApiError CONFLICT_ERROR for a lock timeout, a deadlock, or a wait in the queue that takes too long
 */
export function asConflict(error: unknown, work: keyof typeof answers): unknown {
  return isLockFailure(error) ? temporary(answers[work], error) : error;
}

/** The error for the client when other work has to end first, in words of its own. The same request may succeed later. */
export function stillUnderWay(message: string): ApiError {
  return temporary(message, new StillBusy(message));
}

// Without Retry-After, a client takes a conflict for the answer. By its cause, no idempotency key keeps it.
function temporary(message: string, cause: unknown): ApiError {
  return new ApiError('CONFLICT_ERROR', message, { cause, headers: { 'Retry-After': '1' } });
}
