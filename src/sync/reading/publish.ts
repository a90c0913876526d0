import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { Connection, ConnectionMode } from '../../platforms/connector';
import { lockCustomer } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import { ApiError } from '../../common/errors/api-error';
import { databaseTime, recordChange } from '../../records/changes';
import { keepCurrency } from '../../records/connection-currencies';
import { MATCHING_VERSION } from '../../matching/groups';
import { reconcile, type ReconcileResult } from '../../matching/reconcile';
import { concludeAbsences, type AbsenceAnswers } from '../absences/absences';
import type { Progress } from './checkpoints';
import { saveCursors, unsettledScopes } from './cursors';
import { noCounts, RunLost, type ClaimedRun, type TypeCounts } from '../run/run';
import { reportOf, type Deletions, type RunReport } from '../run/run-report';
import { finishRun } from '../run/run-ends.repository';
import { holdRun } from '../run/runs.repository';
import { planAfterSuccess } from '../schedule/schedules.repository';
import type { SyncTimes } from '../schedule/sync-times';

/** The result of a run. */
export interface Published {
  /** Records of the platform that are stored now. */
  readonly stored: TypeCounts;
  readonly brought: ReadonlyMap<StoredEntityType, ReconcileResult>;
  readonly deletions: ReadonlyMap<StoredEntityType, Deletions>;
  readonly report: RunReport;
}

/** A run that has read its scopes. */
export interface WholeReading {
  readonly currency: string;
  /** When the reading began, as the database writes it. */
  readonly readingSince: string;
  readonly seen: ReadonlyMap<StoredEntityType, Progress>;
  readonly looked: ReadonlyMap<StoredEntityType, AbsenceAnswers>;
}

/**
 * Publishes the staged records of a run and ends the run, in the caller's transaction: all of it or nothing. Blocks
 * every change of the customer's records until the transaction ends.
 *
 * @param times milliseconds: of the lease, and between two scheduled runs
 * @throws RunLost
 * @throws ApiError CONFLICT_ERROR if the connection was changed to another account
 */
export async function publish(
  tx: CustomerTransaction,
  run: ClaimedRun,
  { currency, readingSince, seen, looked }: WholeReading,
  { lease, interval, pause }: Pick<SyncTimes, 'lease' | 'interval' | 'pause'>,
): Promise<Published> {
  const { customerId, platform } = run.connection;
  if (!(await lockCustomer(tx, 'exclusive'))) throw new RunLost();
  // Rows that will refer to the customer take this lock too. Taking it first rules out a deadlock.
  await tx.query('select 1 from customers where id = $1 for key share');
  await holdRun(tx.store, run, lease);
  const readWith = await settingsReadWith(tx, run);
  const [connected] = await tx.query<{ synced_at: string; mode: ConnectionMode; currency: string }>(
    'select synced_at::text as synced_at, mode, currency from connections where customer_id = $1 and platform = $2',
    [platform],
  );
  const cause = { id: run.id, at: await databaseTime(tx.store) };
  const readings = { seen, readingSince, looked, cause };
  const deletions = await concludeAbsences(tx.store, run, readings, connected?.mode);
  const someWent = [...deletions.values()].some(({ deleted }) => deleted > 0);
  const asBefore =
    connected === undefined || someWent ? undefined : await countIfAsBefore(tx, run, connected.synced_at);
  const brought =
    asBefore === undefined
      ? await reconcile(tx, {
          customerId,
          runId: run.id,
          platform,
          isFirst: connected === undefined,
          readingSince,
          cause,
        })
      : new Map<StoredEntityType, ReconcileResult>();
  const otherCurrency = connected !== undefined && connected.currency !== currency;
  if (otherCurrency) await keepCurrency(tx, platform, cause);
  if (asBefore === undefined || otherCurrency) {
    recordChange(tx, cause, { origin: 'run', platform, ruleVersion: MATCHING_VERSION });
  }
  // Before the first connect the platform has no stored records, so no write to them can be open.
  const stored = asBefore ?? (connected === undefined ? countsOf(brought) : await countRecords(tx, platform));
  const unsettled = connected === undefined ? none : await unsettledScopes(tx, run, readingSince);
  await saveConnection(tx, run.connection, currency, stored, readWith, cause.at);
  await saveCursors(tx, run, seen, unsettled);
  const report = reportOf(seen, deletions);
  await finishRun(tx, run, stored, report, cause.at);
  if (run.connection.mode === 'live') {
    await planAfterSuccess(tx, run, { interval, pause }, report.whole ? readingSince : null);
  }
  return { stored, brought, deletions, report };
}

/**
 * The settings that a run has read with, as JSON text; null for a sandbox. Records that were read before a change of
 * the settings and records that were read after it may belong to different companies.
 *
 * @throws ApiError CONFLICT_ERROR if the settings have changed since
 */
async function settingsReadWith(tx: CustomerTransaction, { id }: ClaimedRun): Promise<string | null> {
  const [same] = await tx.query<{ settings: string | null }>(
    `select l.settings::text as settings from sync_runs r
     left join live_connections l on l.customer_id = r.customer_id and l.platform = r.platform
     where r.customer_id = $1 and r.id = $2 and r.settings_changed_at is not distinct from l.changed_at
       and r.mode = case when l.platform is null then 'sandbox' else 'live' end`,
    [id],
  );
  if (same === undefined)
    throw new ApiError('CONFLICT_ERROR', 'The connection was changed while it was read; connect again');
  return same.settings;
}

/**
 * Counts the records of a platform if there is nothing to do: the run has read what is stored, and no record of the
 * customer was written since the platform was last connected. The results of these records were computed then, or in a
 * later run of another platform, which matches the records of all platforms.
 *
 * @returns undefined if there may be something to do
 */
async function countIfAsBefore(
  tx: CustomerTransaction,
  { connection: { platform }, id }: ClaimedRun,
  since: string,
): Promise<TypeCounts | undefined> {
  const staged = await tx.query(
    'select 1 from staged_records where customer_id = $1 and run_id = $2 limit 1',
    [id],
  );
  if (staged.length > 0) return undefined;
  // `synced_at` is the start of the transaction, which precedes its lock. A write that the transaction has seen may
  // count again, but no write is missed.
  const rows = await tx.query<{
    platform: PlatformName;
    entity_type: StoredEntityType;
    count: number;
    written: boolean | null;
  }>(
    `select platform, entity_type, count(*)::int as count, bool_or(written_at >= $2::timestamptz) as written
     from platform_records where customer_id = $1 group by platform, entity_type`,
    [since],
  );
  if (rows.some(({ written }) => written === true)) return undefined;
  const counts = noCounts();
  for (const row of rows) if (row.platform === platform) counts[row.entity_type] = row.count;
  return counts;
}

const none: ReadonlySet<StoredEntityType> = new Set();

/** The number of records by type, for a platform without other records. */
function countsOf(brought: ReadonlyMap<StoredEntityType, ReconcileResult>): TypeCounts {
  const counts = noCounts();
  for (const [entityType, { added, returned }] of brought) counts[entityType] = added + returned;
  return counts;
}

async function countRecords(tx: CustomerTransaction, platform: PlatformName): Promise<TypeCounts> {
  const rows = await tx.query<{ entity_type: StoredEntityType; count: number }>(
    `select entity_type, count(*)::int as count from platform_records
     where customer_id = $1 and platform = $2 group by entity_type`,
    [platform],
  );
  const counts = noCounts();
  for (const { entity_type, count } of rows) counts[entity_type] = count;
  return counts;
}

async function saveConnection(
  tx: CustomerTransaction,
  { platform, mode }: Connection,
  currency: string,
  stored: TypeCounts,
  readWith: string | null,
  at: string,
): Promise<void> {
  const total = Object.values(stored).reduce((sum, count) => sum + count, 0);
  await tx.query(
    `insert into connections (customer_id, platform, mode, connected_at, synced_at, entities_synced, currency, read_with)
     values ($1, $2, $5, $7::timestamptz, now(), $3, $4, $6)
     on conflict (customer_id, platform)
     do update set synced_at = excluded.synced_at, entities_synced = excluded.entities_synced, currency = excluded.currency,
       mode = excluded.mode, read_with = excluded.read_with`,
    [platform, total, currency, mode, readWith, at],
  );
}
