import { types } from 'node:util';
import { migrate } from '../database/migrate';
import { mayPass } from '../start/migrate-when-ready';
import { StartError } from '../start/start-error';

/**
 * Applies the migrations that are pending.
 *
 * @returns the names of those that were applied, in order
 * @throws StartError when the server is too old or a migration fails; the schema is as before then. What is wrong with
 *   an unreachable database is thrown as it is
 */
export async function bringUpToDate(databaseUrl: string): Promise<string[]> {
  try {
    return await migrate(databaseUrl);
  } catch (error) {
    if (mayPass(error)) throw error;
    const reason = types.isNativeError(error) ? error.message : String(error);
    throw new StartError(`The database cannot be brought up to date: ${reason}`, { cause: error });
  }
}
