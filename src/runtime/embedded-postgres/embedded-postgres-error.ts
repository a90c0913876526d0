/** The embedded PostgreSQL cannot run. The message is for the operator and says what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** The end of every such message: the embedded server is a convenience, and any PostgreSQL server works. */
export const SET_DATABASE_URL = 'Set DATABASE_URL to use a PostgreSQL server of your own.';

/** The code of a system or PostgreSQL error ("ENOENT", "57P03"); undefined without one. */
export function codeOf(error: unknown): string | undefined {
  const code = propertyOf(error, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** The message of an error; any other thrown value as text. */
export function messageOf(error: unknown): string {
  const message = propertyOf(error, 'message');
  return typeof message === 'string' ? message : String(error);
}

/** The standard error output of a failed program that was run with execFile. */
export function stderrOf(error: unknown): string | undefined {
  const stderr = propertyOf(error, 'stderr');
  return typeof stderr === 'string' && stderr.trim() !== '' ? stderr.trim() : undefined;
}

// Without `instanceof`: in a separate context, such as under Jest, Node's errors have another Error class.
function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
