import { listMigrations, type MigrationState } from '../../database/schema/migrate';
import { TOLERATED_SKEW_MS } from '../../runtime/clock/clock-watch';
import type { DatabasePooler } from '../../runtime/config/setting-values';
import { finding, type Finding } from './finding';

/**
 * Looks whether the database answers, and at its schema. Changes nothing.
 *
 * @throws what the database throws when it does not answer
 */
export async function databaseFindings(
  databaseUrl: string,
  pooler: DatabasePooler,
): Promise<readonly Finding[]> {
  const migrations = await listMigrations(databaseUrl, pooler);
  return [finding('database', 'ok', 'The database answers'), migrationFinding(migrations)];
}

/** @param aheadMs milliseconds that the clock of this machine is ahead of the database's; below 0 behind it */
export function clockFinding(aheadMs: number): Finding {
  const seconds = Math.abs(aheadMs / 1_000).toFixed(1);
  if (Math.abs(aheadMs) <= TOLERATED_SKEW_MS) {
    return finding(
      'clock',
      'ok',
      `The clock of this machine agrees with that of the database to ${seconds} s`,
    );
  }
  const side = aheadMs > 0 ? 'ahead of' : 'behind';
  return finding(
    'clock',
    'wrong',
    `The clock of this machine is ${seconds} s ${side} that of the database. Synchronise both with NTP`,
  );
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
