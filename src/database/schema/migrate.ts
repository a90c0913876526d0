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
import { ReasonsOfChanges1796000010000 } from '../../../migrations/1796000010000-reasons-of-changes';
import { StatesOfChanges1796000010001 } from '../../../migrations/1796000010001-states-of-changes';
import { DueComparisons1790980000000 } from '../../../migrations/1790980000000-due-comparisons';
import { OneRuleOfLinks1790990000000 } from '../../../migrations/1790990000000-one-rule-of-links';
import { DueWork1790991000000 } from '../../../migrations/1790991000000-due-work';
import { ComparisonVersions1791010000000 } from '../../../migrations/1791010000000-comparison-versions';
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
import { SearchedRecords1796000050000 } from '../../../migrations/1796000050000-searched-records';
import { SortedRecords1796000060000 } from '../../../migrations/1796000060000-sorted-records';
import { ColumnFills1796000061000 } from '../../../migrations/1796000061000-column-fills';
import { OrdersOfCases1796000062000 } from '../../../migrations/1796000062000-orders-of-cases';
import { DueWebhooks1796000063000 } from '../../../migrations/1796000063000-due-webhooks';
import { ExpiringReviews1796000064000 } from '../../../migrations/1796000064000-expiring-reviews';
import { RecordsByTime1796000065000 } from '../../../migrations/1796000065000-records-by-time';
import { CasesByPlatform1796000068000 } from '../../../migrations/1796000068000-cases-by-platform';
import { Events1796000070000 } from '../../../migrations/1796000070000-events';
import { CaseCounts1796000071000 } from '../../../migrations/1796000071000-case-counts';
import { OutdatedSignoffs1796000072000 } from '../../../migrations/1796000072000-outdated-signoffs';
import { OwnFields1796000075000 } from '../../../migrations/1796000075000-own-fields';
import { ReadyFields1796000081000 } from '../../../migrations/1796000081000-ready-fields';
import { WebhookEndpoints1796000083000 } from '../../../migrations/1796000083000-webhook-endpoints';
import { FailingEndpoints1796000086000 } from '../../../migrations/1796000086000-failing-endpoints';
import { CasesByCurrency1796000087000 } from '../../../migrations/1796000087000-cases-by-currency';
import { KeptTallies1796000088000 } from '../../../migrations/1796000088000-kept-tallies';
import { OrdersOfClosedCases1796000089000 } from '../../../migrations/1796000089000-orders-of-closed-cases';
import { ReviewsByTime1796000090000 } from '../../../migrations/1796000090000-reviews-by-time';
import { TypesOfCasesByDate1796000091000 } from '../../../migrations/1796000091000-types-of-cases-by-date';
import { CasesWithReviews1796000092000 } from '../../../migrations/1796000092000-cases-with-reviews';
import { ParentsByTime1796000093000 } from '../../../migrations/1796000093000-parents-by-time';
import { StandardNames1796000094000 } from '../../../migrations/1796000094000-standard-names';
import { SourcesOfDeletedRecords1796000095000 } from '../../../migrations/1796000095000-sources-of-deleted-records';
import { SourcesOfDecisions1796000096000 } from '../../../migrations/1796000096000-sources-of-decisions';
import { EndedAliases1796000097000 } from '../../../migrations/1796000097000-ended-aliases';
import { RewoundEndpoints1796000099000 } from '../../../migrations/1796000099000-rewound-endpoints';
import { CaseReviews1796000030000 } from '../../../migrations/1796000030000-case-reviews';
import { StatementSignoffs1796000040000 } from '../../../migrations/1796000040000-statement-signoffs';
import { PassthroughRequests1796000080000 } from '../../../migrations/1796000080000-passthrough-requests';
import { dataSourceOptions, type Pooler } from '../connection/data-source';
import { DatabaseUnavailable, DEADLOCK, LOCK_NOT_AVAILABLE, sqlStateOf } from '../connection/database-errors';
import { DatabaseProbe } from '../connection/database-probe';
import { UnitOfWork, type UnitOfWorkOptions } from '../transaction/unit-of-work';
import type { Store } from '../transaction/store';

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
  OneRuleOfLinks1790990000000,
  DueWork1790991000000,
  ComparisonVersions1791010000000,
  ReasonsOfChanges1796000010000,
  StatesOfChanges1796000010001,
  PermissionsOfKeys1796000020000,
  TimeZonesOfCustomers1796000021000,
  ReasonsOfTerms1796000022000,
  IndexesOfAttention1796000023000,
  CaseReviews1796000030000,
  StatementSignoffs1796000040000,
  SearchedRecords1796000050000,
  SortedRecords1796000060000,
  ColumnFills1796000061000,
  OrdersOfCases1796000062000,
  DueWebhooks1796000063000,
  ExpiringReviews1796000064000,
  RecordsByTime1796000065000,
  CasesByPlatform1796000068000,
  Events1796000070000,
  CaseCounts1796000071000,
  OutdatedSignoffs1796000072000,
  OwnFields1796000075000,
  PassthroughRequests1796000080000,
  ReadyFields1796000081000,
  WebhookEndpoints1796000083000,
  FailingEndpoints1796000086000,
  CasesByCurrency1796000087000,
  KeptTallies1796000088000,
  OrdersOfClosedCases1796000089000,
  ReviewsByTime1796000090000,
  TypesOfCasesByDate1796000091000,
  CasesWithReviews1796000092000,
  ParentsByTime1796000093000,
  StandardNames1796000094000,
  SourcesOfDeletedRecords1796000095000,
  SourcesOfDecisions1796000096000,
  EndedAliases1796000097000,
  RewoundEndpoints1796000099000,
];

/** The advisory lock of schema changes: any number that nothing else in the same database uses. */
export const MIGRATION_LOCK = 7_261_514_907;

/** PostgreSQL 15, as `server_version_num`. */
const OLDEST_SERVER = 150_000;

/** How long to wait for a table that other work uses, in milliseconds. */
const LOCK_LIMIT_MS = 2_000;

/** Other work holds a table that a migration changes. Nothing was changed; the migration may succeed when it is repeated. */
export class SchemaInUse extends DatabaseUnavailable {
  override readonly name = 'SchemaInUse';
}

/** A migration, and whether the database has it. */
export interface MigrationState {
  readonly name: string;
  /** `unknown`: the database has it, but this version of the service does not know it. */
  readonly state: 'applied' | 'pending' | 'unknown';
}

/**
 * Brings the database's schema up to date, in one transaction. Instances that start at the same time take turns, and
 * the later ones find nothing to do.
 *
 * @returns the names of the migrations that were run, in order
 * @throws Error if the server is too old or a migration fails; the schema is then unchanged
 * @throws SchemaInUse if other work holds a table that a migration changes
 * @throws DatabaseUnavailable if the database stops responding
 */
export function migrate(databaseUrl: string, pooler: Pooler = 'off'): Promise<string[]> {
  return onDatabase(
    databaseUrl,
    pooler,
    async (store, executor) => {
      await refuseOldServer(store);
      // The lock ends with the transaction, even if this process is killed.
      await store.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      // Instances of the release before may be at work. While the migration waits for them, other work waits for the
      // migration.
      await store.query(`set local lock_timeout = '${LOCK_LIMIT_MS}ms'`);
      const applied = await executor.executePendingMigrations().catch(refuseBusy);
      return applied.map(({ name }) => name);
    },
    // Read committed, to see what another instance did while this one waited.
    { deadlines: 'bulk', isolation: 'READ COMMITTED' },
  );
}

/**
 * Every migration in running order, followed by migrations that only the database knows, for instance from a newer
 * release. Changes nothing.
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

/** Runs work on the schema in one transaction, on separate connections. */
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

/** Turns a lock timeout or a deadlock into the error that tells the operator to try again. Nothing was changed. */
function refuseBusy(error: unknown): never {
  if (![LOCK_NOT_AVAILABLE, DEADLOCK].includes(sqlStateOf(error) ?? '')) throw error;
  throw new SchemaInUse('Other work keeps what a migration has to change', { cause: error });
}
