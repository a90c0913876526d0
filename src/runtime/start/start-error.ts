import { types } from 'node:util';
import { EmbeddedPostgresError } from '../embedded-postgres/embedded-postgres-error';
import { EnvironmentError } from '../config/environment';

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
  return oneLine(`${what}: ${types.isNativeError(error) ? error.message || error.name : String(error)}`);
}

function oneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
}
