/** The embedded PostgreSQL cannot run; the message is written for the operator and says what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** Ends every such message: the embedded server is a convenience, any PostgreSQL will do. */
export const SET_DATABASE_URL = 'Set DATABASE_URL to use a PostgreSQL server of your own.';

/** The code of a system or PostgreSQL error ("ENOENT", "57P03"), if it has one. */
export function codeOf(error: unknown): string | undefined {
  const code = propertyOf(error, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** The message of an error, or whatever else was thrown as text. */
export function messageOf(error: unknown): string {
  const message = propertyOf(error, 'message');
  return typeof message === 'string' ? message : String(error);
}

/** What a program that failed wrote to its standard error output, if it was run with execFile. */
export function stderrOf(error: unknown): string | undefined {
  const stderr = propertyOf(error, 'stderr');
  return typeof stderr === 'string' && stderr.trim() !== '' ? stderr.trim() : undefined;
}

// Not instanceof: where code runs in a context of its own, as under Jest, Node's errors are of another Error.
function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
