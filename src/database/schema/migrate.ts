import { DataSource, MigrationExecutor } from 'typeorm';
import { CreateSchema1790000000000 } from '../../../migrations/1790000000000-create-schema';
import { ExpireKeysAndSessions1790100000000 } from '../../../migrations/1790100000000-expire-keys-and-sessions';
import { AliasesInTime1790860000000 } from '../../../migrations/1790860000000-aliases-in-time';
import { CurrenciesOfConnections1790870000000 } from '../../../migrations/1790870000000-currencies-of-connections';
import { CausesOfCommands1790880000000 } from '../../../migrations/1790880000000-causes-of-commands';
import { MadeParts1790890000000 } from '../../../migrations/1790890000000-made-parts';
import { NamedRecords1790920000000 } from '../../../migrations/1790920000000-named-records';
import { StorageUsage1790960000000 } from '../../../migrations/1790960000000-storage-usage';
import { HistoryHorizons1790930000000 } from '../../../migrations/1790930000000-history-horizons';
import { DueComparisons1790980000000 } from '../../../migrations/1790980000000-due-comparisons';
import { DeletedRecordsInOrder1790850000000 } from '../../../migrations/1790850000000-deleted-records-in-order';
import { DeletedRecords1790730000000 } from '../../../migrations/1790730000000-deleted-records';
import { Outbox1790300000000 } from '../../../migrations/1790300000000-outbox';
import { RecordVersions1790800000000 } from '../../../migrations/1790800000000-record-versions';
import { ReconciliationDecisions1790820000000 } from '../../../migrations/1790820000000-reconciliation-decisions';
import { Comparisons1790830000000 } from '../../../migrations/1790830000000-comparisons';
import { SandboxRecords1790200000000 } from '../../../migrations/1790200000000-sandbox-records';
import { IdempotencyKeys1790810000000 } from '../../../migrations/1790810000000-idempotency-keys';
import { KeysWithoutForeignKey1790500000000 } from '../../../migrations/1790500000000-keys-without-foreign-key';
import { DigestsOfRecords1790610000000 } from '../../../migrations/1790610000000-digests-of-records';
import { LiveConnections1790700000000 } from '../../../migrations/1790700000000-live-connections';
import { OutboxDecisions1790740000000 } from '../../../migrations/1790740000000-outbox-decisions';
import { PlatformGates1790710000000 } from '../../../migrations/1790710000000-platform-gates';
import { SettingsThatWereReadWith1790755000000 } from '../../../migrations/1790755000000-settings-that-were-read-with';
import { SyncCursors1790720000000 } from '../../../migrations/1790720000000-sync-cursors';
import { Terms1790840000000 } from '../../../migrations/1790840000000-terms';
import { SyncRuns1790400000000 } from '../../../migrations/1790400000000-sync-runs';
import { WebhookSubscriptions1790750000000 } from '../../../migrations/1790750000000-webhook-subscriptions';
import { GatesOfCredentials1790760000000 } from '../../../migrations/1790760000000-gates-of-credentials';
import { ProjectsOfBothRecords1790940000000 } from '../../../migrations/1790940000000-projects-of-both-records';
import { OpenCommandsByRecord1790910000000 } from '../../../migrations/1790910000000-open-commands-by-record';
import { PermissionsOfKeys1796000020000 } from '../../../migrations/1796000020000-permissions-of-keys';
import { TimeZonesOfCustomers1796000021000 } from '../../../migrations/1796000021000-time-zones-of-customers';
import { ReasonsOfTerms1796000022000 } from '../../../migrations/1796000022000-reasons-of-terms';
import { IndexesOfAttention1796000023000 } from '../../../migrations/1796000023000-indexes-of-attention';
import { dataSourceOptions, type Pooler } from './data-source';
import { DatabaseUnavailable, DEADLOCK, LOCK_NOT_AVAILABLE, sqlStateOf } from '../connection/database-errors';
import { DatabaseProbe } from '../connection/database-probe';
import { type Store, UnitOfWork, type UnitOfWorkOptions } from '../transaction/unit-of-work';

/** Every migration, oldest first. Listed by hand: a pattern would match other files in sources than in the build. */
export const MIGRATIONS = [
  CreateSchema1790000000000,
  ExpireKeysAndSessions1790100000000,
  SandboxRecords1790200000000,
  Outbox1790300000000,
  SyncRuns1790400000000,
  KeysWithoutForeignKey1790500000000,
  DigestsOfRecords1790610000000,
  LiveConnections1790700000000,
  PlatformGates1790710000000,
  SyncCursors1790720000000,
  DeletedRecords1790730000000,
  OutboxDecisions1790740000000,
  WebhookSubscriptions1790750000000,
  SettingsThatWereReadWith1790755000000,
  GatesOfCredentials1790760000000,
  RecordVersions1790800000000,
  IdempotencyKeys1790810000000,
  ReconciliationDecisions1790820000000,
  Comparisons1790830000000,
  Terms1790840000000,
  DeletedRecordsInOrder1790850000000,
  AliasesInTime1790860000000,
  CurrenciesOfConnections1790870000000,
  CausesOfCommands1790880000000,
  MadeParts1790890000000,
  OpenCommandsByRecord1790910000000,
  NamedRecords1790920000000,
  HistoryHorizons1790930000000,
  ProjectsOfBothRecords1790940000000,
  StorageUsage1790960000000,
  DueComparisons1790980000000,
  PermissionsOfKeys1796000020000,
  TimeZonesOfCustomers1796000021000,
  ReasonsOfTerms1796000022000,
  IndexesOfAttention1796000023000,
];

/** The advisory lock under which the schema changes. Any number, as long as nothing else in the same database locks it. */
export const MIGRATION_LOCK = 7_261_514_907;

/** PostgreSQL 15, in the server's own count. */
const OLDEST_SERVER = 150_000;

/** How long a table that others use is waited for, in milliseconds. */
const LOCK_LIMIT_MS = 2_000;

/** A migration, and whether the database has it. */
export interface MigrationState {
  readonly name: string;
  /** `unknown`: the database has it, but this version of the service does not know it. */
  readonly state: 'applied' | 'pending' | 'unknown';
}

/**
 * Brings the database's schema up to date, in one transaction. Instances that start at once take turns: those that
 * come later find the work done.
 *
 * @returns the names of the migrations that were run, in order
 * @throws Error when the server is too old or a migration fails; the schema is as before then
 * @throws DatabaseUnavailable when the database stops answering, or others keep what a migration changes
 */
export function migrate(databaseUrl: string, pooler: Pooler = 'off'): Promise<string[]> {
  return onDatabase(
    databaseUrl,
    pooler,
    async (store, executor) => {
      await refuseOldServer(store);
      // Ends with the transaction, also when this process is killed.
      await store.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      // Instances of the release before may be at work: while this waits for them, others wait for it.
      await store.query(`set local lock_timeout = '${LOCK_LIMIT_MS}ms'`);
      const applied = await executor.executePendingMigrations().catch(refuseBusy);
      return applied.map(({ name }) => name);
    },
    // Read committed, to see what the instance before us has done while we waited.
    { patience: 'bulk', isolation: 'READ COMMITTED' },
  );
}

/**
 * Every migration in the order in which they run, and after them those that only the database knows, as one that a
 * newer version of the service has migrated. Changes nothing.
 *
 * @throws DatabaseUnavailable when the database stops answering
 */
export function listMigrations(databaseUrl: string, pooler: Pooler = 'off'): Promise<MigrationState[]> {
  return onDatabase(
    databaseUrl,
    pooler,
    async (_store, executor) => {
      const executed = new Set((await executor.getExecutedMigrations()).map(({ name }) => name));
      const known = MIGRATIONS.map(({ name }): MigrationState => ({
        name,
        state: executed.delete(name) ? 'applied' : 'pending',
      }));
      return [...known, ...[...executed].sort().map((name): MigrationState => ({ name, state: 'unknown' }))];
    },
    { readOnly: true },
  );
}

/** Runs work on the schema in one transaction, over connections of its own. */
export async function onDatabase<Result>(
  databaseUrl: string,
  pooler: Pooler,
  work: (store: Store, executor: MigrationExecutor) => Promise<Result>,
  options: UnitOfWorkOptions,
): Promise<Result> {
  const dataSource = new DataSource(
    dataSourceOptions(databaseUrl, { migrations: MIGRATIONS, poolSize: 1 }, pooler),
  );
  const probe = new DatabaseProbe(databaseUrl);
  await dataSource.initialize();
  try {
    return await new UnitOfWork(dataSource, probe).run(
      (store) => work(store, new MigrationExecutor(dataSource, store.manager.queryRunner)),
      options,
    );
  } finally {
    await probe.close();
    await dataSource.destroy();
  }
}

async function refuseOldServer(store: Store): Promise<void> {
  const [server] = await store.query<{ number: number; version: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version`,
  );
  if (server !== undefined && server.number < OLDEST_SERVER) {
    throw new Error(`PostgreSQL 15 or newer is needed; the server is ${server.version}`);
  }
}

/** Others had the tables for too long, or waited in a circle with us: nothing was changed, and it may be tried again. */
function refuseBusy(error: unknown): never {
  if (![LOCK_NOT_AVAILABLE, DEADLOCK].includes(sqlStateOf(error) ?? '')) throw error;
  throw new DatabaseUnavailable('Other work keeps what a migration has to change', { cause: error });
}
