import { types } from 'node:util';
import { EmbeddedPostgresError } from '../embedded-postgres/embedded-postgres-error';
import { EnvironmentError } from '../config/environment';
import { MOST_ERRORS } from '../logging/describe-error';

/** The service cannot start. The message is one line for the operator. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/**
 * The line that says why the service does not start, or why an operator's command failed, which reads the same settings
 * and opens the same database.
 *
 * @param what the beginning of the line for errors whose messages are not written for operators
 */
export function startProblem(error: unknown, what = 'The service cannot start'): string {
  if (
    error instanceof StartError ||
    error instanceof EnvironmentError ||
    error instanceof EmbeddedPostgresError
  ) {
    return oneLine(error.message);
  }
  return oneLine(`${what}: ${wordsOf(error)}`);
}

/** The message of an error, with those of the errors that it stands for, or its name if there is none. */
export function wordsOf(error: unknown): string {
  if (!types.isNativeError(error)) return String(error);
  const errors = error instanceof AggregateError ? error.errors.slice(0, MOST_ERRORS).map(wordsOf) : [];
  const parts = [error.message, [...new Set(errors)].join(', ')].filter((part) => part !== '');
  return parts.join(': ') || error.name;
}

function oneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}
