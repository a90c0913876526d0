import { types } from 'node:util';
import type { DatabasePooler } from '../runtime/config/setting-values';
import { CannotDistribute, distribute } from '../database/schema/distribute';
import { migrate } from '../database/schema/migrate';
import { isAway } from '../runtime/start/migrate-when-ready';
import { StartError } from '../runtime/start/start-error';

/**
 * Applies the pending migrations.
 *
 * @returns the names of the applied migrations, in order
 * @throws StartError if the server is too old, a migration fails, or other work holds a table; the schema is then unchanged.
 *   The error of an unreachable database is thrown unchanged
 */
export async function bringUpToDate(databaseUrl: string, pooler: DatabasePooler): Promise<string[]> {
  try {
    return await migrate(databaseUrl, pooler);
  } catch (error) {
    if (isAway(error)) throw error;
    throw new StartError(`The database cannot be brought up to date: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Distributes the tables over the servers of a cluster.
 *
 * @returns the names of the tables that were distributed now
 * @throws StartError if the server is no cluster or refuses a table; nothing has changed then
 */
export async function spread(databaseUrl: string, pooler: DatabasePooler): Promise<readonly string[]> {
  try {
    return await distribute(databaseUrl, pooler);
  } catch (error) {
    if (isAway(error)) throw error;
    if (error instanceof CannotDistribute) throw new StartError(error.message, { cause: error });
    throw new StartError(`The tables cannot be spread: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  return types.isNativeError(error) ? error.message : String(error);
}
