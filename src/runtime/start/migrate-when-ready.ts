import { setTimeout as sleep } from 'node:timers/promises';
import { types } from 'node:util';
import { DatabaseUnavailable, isDatabaseFailure } from '../../database/connection/database-errors';
import { SchemaInUse } from '../../database/schema/migrate';

/** How long to wait for a database that is started together with the service. */
const WAIT_LIMIT_MS = 30_000;
const PAUSE_MS = 500;

/** Connection errors of a database that is not running yet. Waiting does not help against other errors. */
const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/**
 * Migrates the database, and waits for it while it does not answer or other work holds a table.
 *
 * @param migrate applies the missing migrations and returns their names
 * @param stop ends the wait
 * @throws what `migrate` throws when the wait is over or useless
 */
export async function migrateWhenReady(
  migrate: () => Promise<string[]>,
  stop: AbortSignal,
  { waitLimitMs = WAIT_LIMIT_MS, pause = PAUSE_MS } = {},
): Promise<string[]> {
  const deadline = performance.now() + waitLimitMs;
  for (;;) {
    try {
      return await migrate();
    } catch (error) {
      if (!mayPass(error) || stop.aborted || performance.now() > deadline) throw error;
    }
    await sleep(pause, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Whether the file of the database's socket is not there. Another file, such as a certificate, does not come by waiting. */
function lacksSocket(error: Error): boolean {
  return 'code' in error && error.code === 'ENOENT' && 'syscall' in error && error.syscall === 'connect';
}

/** Whether an error, or its cause, may pass by waiting: the database does not answer, or other work holds a table. */
export function mayPass(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  if (error instanceof DatabaseUnavailable || isDatabaseFailure(error)) return true;
  if ('code' in error && typeof error.code === 'string' && unreachable.has(error.code)) return true;
  if (lacksSocket(error)) return true;
  // A host name with several addresses fails with an error for each. The driver's own error has only a message.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(mayPass);
  if (/timeout|terminated unexpectedly/i.test(error.message)) return true;
  return mayPass(error.cause);
}

/** Whether an error means that the database does not answer. Where other work holds a table, it has answered. */
export function isAway(error: unknown): boolean {
  return mayPass(error) && !(error instanceof SchemaInUse);
}
