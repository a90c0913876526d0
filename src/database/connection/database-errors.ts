import { QueryFailedError } from 'typeorm';
import { StillBusy } from '../../runtime/fairness/overloaded';

/**
 * The database failed or did not respond in time. The transaction did not commit, or its outcome is unknown. Clients
 * get a fixed sentence and 502; message and cause are for the log.
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

/** A row refers to a row that does not exist. */
export const FOREIGN_KEY_VIOLATION = '23503';

/** Deadlock: transactions waited for each other, and PostgreSQL aborted this one. */
export const DEADLOCK = '40P01';

/** A row that the snapshot shows has been changed or deleted by a transaction that committed since. */
const SERIALIZATION_FAILURE = '40001';

/** Whether an error may be caused by the deletion of the work's customer, which deletes the customer's rows too. */
export function mayMeanDeletion(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === FOREIGN_KEY_VIOLATION || state === SERIALIZATION_FAILURE;
}

/** Whether an error means that other work holds a lock. The same work may succeed when it is retried. */
export function isLockFailure(error: unknown): boolean {
  if (error instanceof StillBusy) return true;
  const state = sqlStateOf(error);
  return state === LOCK_NOT_AVAILABLE || state === DEADLOCK;
}

/** SQLSTATEs with which the server reports that it cannot serve, in contrast to a wrong statement. */
const failure =
  // 08 connection exceptions; 25006 read-only: the server became a standby; 25P03, 25P04 timeouts of the transaction;
  // 53 insufficient resources; 57P shutting down, crashed, starting up, database dropped; 57014 the statement took too
  // long; 58 errors of the server's operating system
  /^(?:08|25006$|25P0[34]$|53|57P|57014$|58)/;

/** Whether an error is a failure of the database. Constraints, locks, deadlocks and faulty statements are not. */
export function isDatabaseFailure(error: unknown): boolean {
  return failure.test(sqlStateOf(error) ?? '');
}

/**
 * Converts an error of the bare driver to the form in which TypeORM's own statements fail, so that all errors are
 * handled alike.
 */
export function statementFailed(sql: string, error: unknown): QueryFailedError {
  return new QueryFailedError(sql, undefined, error instanceof Error ? error : new Error(String(error)));
}

function textOf(value: unknown, key: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const own: unknown = Reflect.get(value, key);
  return typeof own === 'string' ? own : undefined;
}
