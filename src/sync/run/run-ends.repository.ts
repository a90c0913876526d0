import type { ApiError } from '../../common/errors/api-error';
import type { ConnectionName } from '../../platforms/connector';
import { markTimesTaken } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import { databaseTime } from '../../records/changes';
import type { ClaimedRun, TypeCounts } from './run';
import type { RunReport } from './run-report';
import { planAfterFailure } from '../schedule/schedules.repository';
import { stagingTables } from '../reading/staging-tables';

/**
 * Ends a run well. The transaction holds it already.
 *
 * @param at the database's time, taken behind the locks
 */
export async function finishRun(
  tx: CustomerTransaction,
  run: ClaimedRun,
  result: TypeCounts,
  report: RunReport,
  at: string,
): Promise<void> {
  await tx.query(
    `update sync_runs set status = 'done', ended_at = $5::timestamptz, result = $3, report = $4 where customer_id = $1 and id = $2`,
    [run.id, JSON.stringify(result), JSON.stringify(report), at],
  );
}

/**
 * Ends a run badly, and removes what it staged. A run that is no longer ours stays as it is.
 *
 * @param interval milliseconds between two runs of the schedule
 */
export async function failRun(
  tx: CustomerTransaction,
  run: ClaimedRun,
  error: ApiError,
  interval: number,
): Promise<void> {
  const { type, message } = error;
  await markTimesTaken(tx);
  const at = await databaseTime(tx.store);
  const failed = await tx.query(
    `update sync_runs set status = 'failed', ended_at = $5::timestamptz, error = $4
     where customer_id = $1 and id = $2 and lease_owner = $3 and status = 'running' returning id`,
    [run.id, run.owner, JSON.stringify({ type, message }), at],
  );
  if (failed.length === 0) return;
  if (run.connection.mode === 'live') await planAfterFailure(tx, run, interval);
  await clearStaging(tx, run.id);
}

/**
 * Ends the run under way of a live connection that is removed, with what it staged. The instance that works on it finds it
 * lost. The caller's transaction holds the customer's lock exclusively, so the run is not being made visible.
 */
export async function endLiveRun(
  tx: CustomerTransaction,
  { platform }: ConnectionName,
  error: ApiError,
): Promise<void> {
  const { type, message } = error;
  const at = await databaseTime(tx.store);
  const ended = await tx.query<{ id: string }>(
    `update sync_runs set status = 'failed', ended_at = $4::timestamptz, error = $3
     where customer_id = $1 and platform = $2 and mode = 'live' and status = 'running' returning id`,
    [platform, JSON.stringify({ type, message }), at],
  );
  for (const { id } of ended) await clearStaging(tx, id);
}

/** Removes what a run has staged. */
export async function clearStaging(tx: CustomerTransaction, runId: string): Promise<void> {
  for (const table of stagingTables) {
    await tx.query(`delete from ${table} where customer_id = $1 and run_id = $2`, [runId]);
  }
}
