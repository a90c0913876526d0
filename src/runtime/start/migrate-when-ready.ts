import { setTimeout as sleep } from 'node:timers/promises';
import { types } from 'node:util';
import { DatabaseUnavailable, isDatabaseFailure } from '../../database/connection/database-errors';

/** How long a database may take to come up beside us, as it does when both are started at once. */
const PATIENCE = 30_000;
const PAUSE = 500;

/** What a database that is not there (yet) makes of a connection; anything else will not pass by waiting. */
const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // its socket file
]);

/**
 * Brings the database up to date, and waits for it while it does not answer.
 *
 * @param migrate applies what is missing; gives the names of what it applied
 * @param stop ends the waiting
 * @throws what `migrate` throws once waiting is over or of no use
 */
export async function migrateWhenReady(
  migrate: () => Promise<string[]>,
  stop: AbortSignal,
  { patience = PATIENCE, pause = PAUSE } = {},
): Promise<string[]> {
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      return await migrate();
    } catch (error) {
      if (!mayPass(error) || stop.aborted || performance.now() > deadline) throw error;
    }
    await sleep(pause, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Whether an error says that the database does not answer, or its cause does. */
export function mayPass(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  if (error instanceof DatabaseUnavailable || isDatabaseFailure(error)) return true;
  if ('code' in error && typeof error.code === 'string' && unreachable.has(error.code)) return true;
  // A name with several addresses fails with all of their errors; the driver gives its own none but a message.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(mayPass);
  if (/timeout|terminated unexpectedly/i.test(error.message)) return true;
  return mayPass(error.cause);
}
