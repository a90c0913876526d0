import { listMigrations, type MigrationState } from '../../database/schema/migrate';
import type { DatabasePooler } from '../../runtime/config/setting-values';
import { finding, type Finding } from './finding';

/**
 * Checks whether the database responds, and whether its schema is up to date. Changes nothing.
 *
 * @throws any error of the database if it does not respond
 */
export async function databaseFindings(
  databaseUrl: string,
  pooler: DatabasePooler,
): Promise<readonly Finding[]> {
  const migrations = await listMigrations(databaseUrl, pooler);
  return [finding('database', 'ok', 'The database answers'), migrationFinding(migrations)];
}

export function migrationFinding(migrations: readonly MigrationState[]): Finding {
  const count = (state: MigrationState['state']): number =>
    migrations.filter((migration) => migration.state === state).length;
  if (count('unknown') > 0) {
    return finding(
      'migrations',
      'wrong',
      `The database has ${count('unknown')} migrations that this release does not know. Run the newer release`,
    );
  }
  if (count('pending') > 0) {
    return finding(
      'migrations',
      'wrong',
      `${count('pending')} of ${migrations.length} migrations are pending. Run \`migrations run\`, or start the service`,
    );
  }
  return finding('migrations', 'ok', `All ${migrations.length} migrations are applied`);
}
