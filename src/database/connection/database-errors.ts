import { QueryFailedError } from 'typeorm';
import { StillBusy } from '../../runtime/fairness/overloaded';

/**
 * The database failed or did not answer in time; the transaction did not commit, or nobody knows whether it did.
 * Clients get a fixed sentence and 502; message and cause are for the log.
 */
export class DatabaseUnavailable extends Error {
  override readonly name: string = 'DatabaseUnavailable';
}

/** The SQLSTATE that PostgreSQL gave an error, bare or inside TypeORM's QueryFailedError; undefined for other errors. */
export function sqlStateOf(error: unknown): string | undefined {
  // Only the server's errors have a severity. Errors of the operating system have a code too, and EPIPE looks
  // like a SQLSTATE.
  return textOf(error, 'severity') === undefined ? undefined : textOf(error, 'code');
}

/** A lock was not given within `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = '55P03';

/** A row refers to one that is not there. */
export const FOREIGN_KEY_VIOLATION = '23503';

/** Transactions waited for each other in a circle, and this one was chosen to end. */
export const DEADLOCK = '40P01';

/** A row that a snapshot shows was changed or deleted since, by work that has committed. */
export const SERIALIZATION_FAILURE = '40001';

/** Whether an error may come of it that the customer of the work was deleted meanwhile: its rows go with it. */
export function mayMeanDeletion(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === FOREIGN_KEY_VIOLATION || state === SERIALIZATION_FAILURE;
}

/** Whether an error means that other work holds a lock, or its turn: the same work, begun again, may get it. */
export function isLockFailure(error: unknown): boolean {
  if (error instanceof StillBusy) return true;
  const state = sqlStateOf(error);
  return state === LOCK_NOT_AVAILABLE || state === DEADLOCK;
}

/** SQLSTATEs by which the server says that it cannot serve, as against that the statement is wrong. */
const failure =
  // 08 connection exceptions; 25006 read-only: the server became a standby; 25P03, 25P04 ended for its age; 53 insufficient resources;
  // 57P shutting down, crashed, starting up, database dropped; 57014 the statement took too long; 58 errors of the server's system
  /^(?:08|25006$|25P0[34]$|53|57P|57014$|58)/;

/** Whether an error is the database's failure. Constraints, locks, deadlocks and faulty statements are none. */
export function isDatabaseFailure(error: unknown): boolean {
  return failure.test(sqlStateOf(error) ?? '');
}

/** An error of the bare driver in the form in which TypeORM's own statements fail, so that all are read alike. */
export function statementFailed(sql: string, error: unknown): QueryFailedError {
  return new QueryFailedError(sql, undefined, error instanceof Error ? error : new Error(String(error)));
}

function textOf(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const own: unknown = Reflect.get(value, key);
  return typeof own === 'string' ? own : undefined;
}
