import { randomUUID } from 'node:crypto';
import { isPlatformName } from '@app/mapper';
import { ApiError, isErrorType, type ErrorType } from '../../common/errors/api-error';
import type { ConnectionMode, ConnectionName } from '../../platforms/connector';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { countsFrom, RunLost, type ClaimedRun, type RunRequest, type TypeCounts } from './run';
import type { RunEnd } from './run-end';
import { reportFrom, type RunReport } from './run-report';
import { lockCustomer, markTimesTaken } from '../../database/transaction/customer-lock';
import { databaseTime } from '../../database/transaction/database-time';
import { answerRequests, planAfterFailure } from '../schedule/schedules.repository';
import { ForbiddenTransition } from '../../database/state-machine';
import { clearStaging } from './clear-staging';
import { runStates } from './run-states';

/** The state of a run. */
export type RunState =
  | {
      readonly status: 'running';
      readonly mode: ConnectionMode;
      readonly counts: TypeCounts;
      readonly abandoned: boolean;
    }
  | { readonly status: 'done'; readonly end: RunEnd }
  | { readonly status: 'failed'; readonly type: ErrorType; readonly message: string };

/** Whether a connection leads to the platform itself. It does while the customer has credentials. */
export async function modeOf(tx: CustomerTransaction, { platform }: ConnectionName): Promise<ConnectionMode> {
  const live = await tx.query('select 1 from live_connections where customer_id = $1 and platform = $2', [
    platform,
  ]);
  return live.length > 0 ? 'live' : 'sandbox';
}

/**
 * Renews the lease of a run, and locks its row until the transaction ends.
 *
 * @param counts records read so far, if they are to be shown
 * @throws RunLost
 */
export async function holdRun(
  tx: CustomerTransaction,
  { id, owner }: ClaimedRun,
  lease: number,
  counts?: TypeCounts,
): Promise<void> {
  const held = await tx.query(
    `update sync_runs set lease_until = now() + $4 * interval '1 millisecond', counts = coalesce($5::json, counts)
     where customer_id = $1 and id = $2 and lease_owner = $3 and status = 'running' returning id`,
    [id, owner, lease, counts && JSON.stringify(counts)],
  );
  if (held.length === 0) throw new RunLost();
}

/** Releases a run, so that another instance can continue it. */
export async function releaseRun(tx: CustomerTransaction, { id, owner }: ClaimedRun): Promise<void> {
  await tx.query(
    `update sync_runs set lease_until = now() - interval '1 millisecond'
     where customer_id = $1 and id = $2 and lease_owner = $3 and status = 'running'`,
    [id, owner],
  );
}

/**
 * Reads the state of a run.
 *
 * @throws CustomerDeleted if the run does not exist, which only the deletion of its customer can cause
 */
export async function readRun(tx: CustomerTransaction, id: string): Promise<RunState> {
  const [row] = await tx.query<{
    status: RunState['status'];
    mode: ConnectionMode;
    accept_deletions: boolean;
    whole: boolean;
    report: unknown;
    counts: unknown;
    result: unknown;
    error: { type: string; message: string } | null;
    abandoned: boolean;
  }>(
    `select status, mode, whole, accept_deletions, counts, result, report, error, lease_until < now() as abandoned
     from sync_runs where customer_id = $1 and id = $2`,
    [id],
  );
  if (row === undefined) throw new CustomerDeleted();
  switch (row.status) {
    case 'running':
      return {
        status: 'running',
        mode: row.mode,
        counts: countsFrom(row.counts),
        abandoned: row.abandoned,
      };
    case 'done':
      return {
        status: 'done',
        end: {
          mode: row.mode,
          whole: row.whole,
          acceptDeletions: row.accept_deletions,
          counts: countsFrom(row.result),
          report: reportFrom(row.report),
        },
      };
    case 'failed':
      return {
        status: 'failed',
        type: isErrorType(row.error?.type) ? row.error.type : 'INTERNAL_ERROR',
        message: row.error?.message ?? '',
      };
  }
}

/** The result of a claim: a run that this instance works on now, or the ID of another instance's run. */
export type RunClaim = { readonly run: ClaimedRun } | { readonly elsewhere: string };
/** Ended runs are kept this long, so that requests that wait for a run can read how it ended. */
const KEPT = `interval '1 day'`;
/** After this time the next run reads everything, which shows deleted records. */
const SWEEP = `interval '1 day'`;
interface StartedRow {
  readonly id: string;
  readonly mode: ConnectionMode;
  readonly whole: boolean;
  readonly accept_deletions: boolean;
}

/**
 * Starts a run, or takes over a run whose lease is over.
 *
 * @param lease milliseconds
 * @returns undefined if the run under way ended at this moment; the caller tries again
 */
export async function claimRun(
  tx: CustomerTransaction,
  name: ConnectionName,
  lease: number,
  request: RunRequest = {},
): Promise<RunClaim | undefined> {
  const { platform } = name;
  const started = await startRun(tx, name, lease, request);
  if (started !== undefined) {
    await answerRequests(tx, name);
    await forgetEnded(tx, name);
    return { run: started };
  }
  const owner = randomUUID();
  // A locked row belongs to a run that is being published, even if its lease seems to be over.
  const [taken] = await tx.query<StartedRow>(
    `update sync_runs set lease_owner = $3, lease_until = now() + $4 * interval '1 millisecond'
     where customer_id = $1 and id in (
       select id from sync_runs
       where customer_id = $1 and platform = $2 and status = 'running' and lease_until < now()
       for update skip locked
     ) returning id, mode, whole, accept_deletions`,
    [platform, owner, lease],
  );
  if (taken !== undefined) return { run: { ...claimed(name, taken, owner), isTakenOver: true } };
  const [other] = await tx.query<{ id: string }>(
    `select id from sync_runs where customer_id = $1 and platform = $2 and status = 'running'`,
    [platform],
  );
  return other && { elsewhere: other.id };
}

/**
 * Starts the run of a live connection if it is due. The row of the run is the claim: another instance that also found
 * the connection due then finds the run, or a connection that is no longer due.
 *
 * @param lease milliseconds
 * @param interval milliseconds between two runs
 * @returns undefined if no run is due
 */
export async function claimDueRun(
  tx: CustomerTransaction,
  name: ConnectionName,
  lease: number,
  interval: number,
): Promise<ClaimedRun | undefined> {
  const run = await startRun(tx, name, lease, {});
  if (run === undefined) return undefined;
  // Every transaction locks the run before its schedule, so no two of them wait for each other.
  if (run.connection.mode === 'live' && (await answerRequests(tx, name, interval))) {
    await forgetEnded(tx, name);
    return run;
  }
  await tx.query('delete from sync_runs where customer_id = $1 and id = $2', [run.id]);
  return undefined;
}

/** @returns undefined if a run is under way */
async function startRun(
  tx: CustomerTransaction,
  name: ConnectionName,
  lease: number,
  { whole = false, acceptDeletions = false }: RunRequest,
): Promise<ClaimedRun | undefined> {
  const { platform } = name;
  const owner = randomUUID();
  // A separate statement, because a cluster accepts no subquery among the values of an insert.
  const [known] = await tx.query<{ changed_at: string | null; whole: boolean | null }>(
    `select (select changed_at::text from live_connections where customer_id = $1 and platform = $2) as changed_at,
       (select whole or whole_at is null or whole_at < now() - ${SWEEP} from sync_schedules
        where customer_id = $1 and platform = $2) as whole`,
    [platform],
  );
  const changedAt = known?.changed_at ?? null;
  await markTimesTaken(tx);
  const at = await databaseTime(tx.store);
  const [started] = await tx.query<StartedRow>(
    `insert into sync_runs (customer_id, id, platform, mode, status, lease_owner, lease_until, whole, accept_deletions,
         settings_changed_at, started_at)
       values ($1, $2, $3, $9, 'running', $4, now() + $5 * interval '1 millisecond', $6, $7, $8::timestamptz, $10::timestamptz)
       on conflict (customer_id, platform) where status = 'running' do nothing
       returning id, mode, whole, accept_deletions`,
    [
      randomUUID(),
      platform,
      owner,
      lease,
      whole || (known?.whole ?? true),
      acceptDeletions,
      changedAt,
      changedAt === null ? 'sandbox' : 'live',
      at,
    ],
  );
  return started && claimed(name, started, owner);
}

async function forgetEnded(tx: CustomerTransaction, { platform }: ConnectionName): Promise<void> {
  await tx.query(
    `delete from sync_runs where customer_id = $1 and platform = $2 and ended_at < now() - ${KEPT}`,
    [platform],
  );
}

function claimed(
  { customerId, platform }: ConnectionName,
  { id, mode, whole, accept_deletions: acceptDeletions }: StartedRow,
  owner: string,
): ClaimedRun {
  return {
    connection: { customerId, platform, mode },
    id,
    owner,
    whole,
    acceptDeletions,
    isTakenOver: false,
  };
}

/**
 * Marks a run as done. The transaction already holds its row.
 *
 * @param at the database's time, taken behind the locks
 * @throws ForbiddenTransition
 */
export async function finishRun(
  tx: CustomerTransaction,
  run: ClaimedRun,
  result: TypeCounts,
  report: RunReport,
  at: string,
): Promise<void> {
  const ended = await tx.execute(
    `update sync_runs set status = 'done', ended_at = $5::timestamptz, result = $3, report = $4
     where customer_id = $1 and id = $2 and ${runStates.before('done')}`,
    [run.id, JSON.stringify(result), JSON.stringify(report), at],
  );
  if (ended === 0) throw new ForbiddenTransition(`Run ${run.id}`, 'done');
}

/**
 * Marks a run as failed, and removes its staged rows. A run that another instance took over stays unchanged.
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
     where customer_id = $1 and id = $2 and lease_owner = $3 and ${runStates.before('failed')} returning id`,
    [run.id, run.owner, JSON.stringify({ type, message }), at],
  );
  if (failed.length === 0) return;
  if (run.connection.mode === 'live') await planAfterFailure(tx, run, interval);
  await clearStaging(tx, run.id);
}

/**
 * Ends the run under way of a live connection that is being removed, with its staged rows. The instance that works on
 * the run gets RunLost. The caller's transaction holds the customer's lock exclusively, so the run is not being
 * published.
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
     where customer_id = $1 and platform = $2 and mode = 'live' and ${runStates.before('failed')} returning id`,
    [platform, JSON.stringify({ type, message }), at],
  );
  for (const { id } of ended) await clearStaging(tx, id);
}

/**
 * Records when a run begins to read. The time falls between two changes of the customer's records: every earlier change
 * has ended, so the reading sees it, and every later change is recorded with a later time. The database's clock alone
 * therefore separates what a run has read from what was written since. A run that another process takes over keeps its
 * time.
 *
 * @returns the time as the database writes it, to the microsecond
 * @throws RunLost
 */
export async function beginReading(tx: CustomerTransaction, { id, owner }: ClaimedRun): Promise<string> {
  if (!(await lockCustomer(tx, 'exclusive'))) throw new RunLost();
  // Three statements, because a distributed table accepts neither a clock in an update nor its text in the returned
  // row.
  const now = await databaseTime(tx.store);
  const begun = await tx.query(
    `update sync_runs set reading_since = coalesce(reading_since, $4)
     where customer_id = $1 and id = $2 and lease_owner = $3 and status = 'running' returning id`,
    [id, owner, now],
  );
  const [run] = await tx.query<{ since: string }>(
    'select reading_since::text as since from sync_runs where customer_id = $1 and id = $2',
    [id],
  );
  if (begun.length === 0 || run === undefined) throw new RunLost();
  return run.since;
}

/** A run and its customer. */
export interface NamedRun {
  readonly customerId: string;
  readonly runId: string;
}

/** Connections with a run whose lease is over, the longest first. Reads across customers. */
export async function abandonedRuns(store: Store, limit: number): Promise<readonly ConnectionName[]> {
  const rows = await store.query<{ customer_id: string; platform: string }>(
    `select customer_id, platform from sync_runs where status = 'running' and lease_until < now()
     order by lease_until limit $1`,
    [limit],
  );
  return rows.flatMap(({ customer_id: customerId, platform }) =>
    isPlatformName(platform) ? [{ customerId, platform }] : [],
  );
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Runs that are not under way and have left something staged. Reads across customers.
 *
 * @param after the last run of the page before
 */
export async function leftoverRuns(
  store: Store,
  limit: number,
  after: NamedRun = { customerId: FIRST_ID, runId: FIRST_ID },
): Promise<readonly NamedRun[]> {
  const rows = await store.query<{ customer_id: string; run_id: string }>(
    `select distinct c.customer_id, c.run_id from sync_checkpoints c
     left join sync_runs r on r.customer_id = c.customer_id and r.id = c.run_id and r.status = 'running'
     where r.id is null and (c.customer_id, c.run_id) > ($2::uuid, $3::uuid)
     order by c.customer_id, c.run_id limit $1`,
    [limit, after.customerId, after.runId],
  );
  return rows.map(({ customer_id: customerId, run_id: runId }) => ({ customerId, runId }));
}

/**
 * The settings that a run has read with, as JSON text; null for a sandbox. Records that were read before a change of
 * the settings and records that were read after it may belong to different companies.
 *
 * @throws ApiError CONFLICT_ERROR if the settings have changed since
 */
export async function settingsReadWith(tx: CustomerTransaction, { id }: ClaimedRun): Promise<string | null> {
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
