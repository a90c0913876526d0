import { types } from 'node:util';
import type { DatabasePooler } from '../runtime/config/setting-values';
import { CannotDistribute, distribute } from '../database/schema/distribute';
import { migrate } from '../database/schema/migrate';
import { mayPass } from '../runtime/start/migrate-when-ready';
import { StartError } from '../runtime/start/start-error';

/**
 * Applies the migrations that are pending.
 *
 * @returns the names of those that were applied, in order
 * @throws StartError when the server is too old or a migration fails; the schema is as before then. What is wrong with
 *   an unreachable database is thrown as it is
 */
export async function bringUpToDate(databaseUrl: string, pooler: DatabasePooler): Promise<string[]> {
  try {
    return await migrate(databaseUrl, pooler);
  } catch (error) {
    if (mayPass(error)) throw error;
    throw new StartError(`The database cannot be brought up to date: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Spreads the tables over the servers of a cluster.
 *
 * @returns the names of those that were spread now
 * @throws StartError when the server cannot do that, or does not take a table; all is as before then
 */
export async function spread(databaseUrl: string, pooler: DatabasePooler): Promise<readonly string[]> {
  try {
    return await distribute(databaseUrl, pooler);
  } catch (error) {
    if (mayPass(error)) throw error;
    if (error instanceof CannotDistribute) throw new StartError(error.message, { cause: error });
    throw new StartError(`The tables cannot be spread: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  return types.isNativeError(error) ? error.message : String(error);
}
