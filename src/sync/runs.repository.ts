import { randomUUID } from 'node:crypto';
import { isErrorType, type ApiError, type ErrorType } from '../errors/api-error';
import type { ConnectionMode, ConnectionName } from '../connectors/connector';
import { FOREIGN_KEY_VIOLATION, sqlStateOf } from '../database/database-errors';
import type { Store } from '../database/store';
import { countsFrom, CustomerGone, RunLost, type ClaimedRun, type RunRequest, type TypeCounts } from './run';
import type { RunEnd } from './run-end';
import { reportFrom, type RunReport } from './run-report';
import { answerRequests, planAfterFailure } from './schedules.repository';
import { stagingTables } from './staging-tables';

/** What a claim finds: a run that is ours now, or one that somebody else works on. */
export type Claim = { readonly run: ClaimedRun } | { readonly elsewhere: string };

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

/** Ended runs are kept this long, so that whoever waits for one reads how it ended. */
const KEPT = `interval '1 day'`;

/** After this time the next run reads everything, which shows what is gone. */
const SWEEP = `interval '1 day'`;

interface StartedRow {
  readonly id: string;
  readonly mode: ConnectionMode;
  readonly whole: boolean;
  readonly accept_deletions: boolean;
}

/** Whether a connection leads to the platform itself, which it does while the customer has credentials. */
export async function modeOf(
  store: Store,
  { customerId, platform }: ConnectionName,
): Promise<ConnectionMode> {
  const live = await store.query('select 1 from live_connections where customer_id = $1 and platform = $2', [
    customerId,
    platform,
  ]);
  return live.length > 0 ? 'live' : 'sandbox';
}

/**
 * Starts a run, or takes over a run whose lease is over.
 *
 * @param lease milliseconds
 * @returns undefined when the run under way ended at this moment: to be called again
 * @throws CustomerGone
 */
export async function claimRun(
  store: Store,
  name: ConnectionName,
  lease: number,
  request: RunRequest = {},
): Promise<Claim | undefined> {
  const { customerId, platform } = name;
  const started = await startRun(store, name, lease, request);
  if (started !== undefined) {
    await answerRequests(store, name);
    await forgetEnded(store, name);
    return { run: started };
  }
  const owner = randomUUID();
  // A row that is locked belongs to a run that is being made visible, however old its lease looks.
  const [taken] = await store.query<StartedRow>(
    `update sync_runs set lease_owner = $3, lease_until = now() + $4 * interval '1 millisecond'
     where customer_id = $1 and id in (
       select id from sync_runs
       where customer_id = $1 and platform = $2 and status = 'running' and lease_until < now()
       for update skip locked
     ) returning id, mode, whole, accept_deletions`,
    [customerId, platform, owner, lease],
  );
  if (taken !== undefined) return { run: claimed(name, taken, owner) };
  const [other] = await store.query<{ id: string }>(
    `select id from sync_runs where customer_id = $1 and platform = $2 and status = 'running'`,
    [customerId, platform],
  );
  return other && { elsewhere: other.id };
}

/**
 * Starts the run of a live connection if it is due. The row of the run is the claim: another instance that found the
 * connection due as well finds the run, or that it is due no more.
 *
 * @param lease milliseconds
 * @param interval milliseconds between two runs
 * @returns undefined when there is nothing to start
 */
export async function claimDueRun(
  store: Store,
  name: ConnectionName,
  lease: number,
  interval: number,
): Promise<ClaimedRun | undefined> {
  const run = await startRun(store, name, lease, {});
  if (run === undefined) return undefined;
  // The run comes first and its schedule second, here as everywhere: no two of us wait for each other.
  if (run.connection.mode === 'live' && (await answerRequests(store, name, interval))) {
    await forgetEnded(store, name);
    return run;
  }
  await store.query('delete from sync_runs where customer_id = $1 and id = $2', [name.customerId, run.id]);
  return undefined;
}

/** @returns undefined when one is under way */
async function startRun(
  store: Store,
  name: ConnectionName,
  lease: number,
  { whole = false, acceptDeletions = false }: RunRequest,
): Promise<ClaimedRun | undefined> {
  const { customerId, platform } = name;
  const owner = randomUUID();
  // A statement of its own: a cluster takes no subquery among the values of an insert.
  const [known] = await store.query<{ changed_at: string | null; whole: boolean | null }>(
    `select (select changed_at::text from live_connections where customer_id = $1 and platform = $2) as changed_at,
       (select whole or whole_at is null or whole_at < now() - ${SWEEP} from sync_schedules
        where customer_id = $1 and platform = $2) as whole`,
    [customerId, platform],
  );
  const changedAt = known?.changed_at ?? null;
  const [started] = await store
    .query<StartedRow>(
      `insert into sync_runs (customer_id, id, platform, mode, status, lease_owner, lease_until, whole, accept_deletions,
         settings_changed_at)
       values ($1, $2, $3, $9, 'running', $4, now() + $5 * interval '1 millisecond', $6, $7, $8::timestamptz)
       on conflict (customer_id, platform) where status = 'running' do nothing
       returning id, mode, whole, accept_deletions`,
      [
        customerId,
        randomUUID(),
        platform,
        owner,
        lease,
        whole || (known?.whole ?? true),
        acceptDeletions,
        changedAt,
        changedAt === null ? 'sandbox' : 'live',
      ],
    )
    .catch((error: unknown) => {
      // A run refers to nothing but its customer. The state says enough, and a cluster's errors do not name the constraint.
      throw sqlStateOf(error) === FOREIGN_KEY_VIOLATION ? new CustomerGone() : error;
    });
  return started && claimed(name, started, owner);
}

async function forgetEnded(store: Store, { customerId, platform }: ConnectionName): Promise<void> {
  await store.query(
    `delete from sync_runs where customer_id = $1 and platform = $2 and ended_at < now() - ${KEPT}`,
    [customerId, platform],
  );
}

function claimed(
  { customerId, platform }: ConnectionName,
  { id, mode, whole, accept_deletions: acceptDeletions }: StartedRow,
  owner: string,
): ClaimedRun {
  return { connection: { customerId, platform, mode }, id, owner, whole, acceptDeletions };
}

/**
 * Says that the run is still worked on, and locks its row until the transaction ends.
 *
 * @param counts records read so far, where they are to be shown
 * @throws RunLost
 */
export async function holdRun(
  store: Store,
  { connection, id, owner }: ClaimedRun,
  lease: number,
  counts?: TypeCounts,
): Promise<void> {
  const held = await store.query(
    `update sync_runs set lease_until = now() + $4 * interval '1 millisecond', counts = coalesce($5::json, counts)
     where customer_id = $1 and id = $2 and lease_owner = $3 and status = 'running' returning id`,
    [connection.customerId, id, owner, lease, counts && JSON.stringify(counts)],
  );
  if (held.length === 0) throw new RunLost();
}

/** Ends a run well. The transaction holds it already. */
export async function finishRun(
  store: Store,
  run: ClaimedRun,
  result: TypeCounts,
  report: RunReport,
): Promise<void> {
  await store.query(
    `update sync_runs set status = 'done', ended_at = now(), result = $3, report = $4 where customer_id = $1 and id = $2`,
    [run.connection.customerId, run.id, JSON.stringify(result), JSON.stringify(report)],
  );
}

/**
 * Ends a run badly, and removes what it staged. A run that is no longer ours stays as it is.
 *
 * @param interval milliseconds between two runs of the schedule
 */
export async function failRun(
  store: Store,
  run: ClaimedRun,
  error: ApiError,
  interval: number,
): Promise<void> {
  const { type, message } = error;
  const failed = await store.query(
    `update sync_runs set status = 'failed', ended_at = now(), error = $4
     where customer_id = $1 and id = $2 and lease_owner = $3 and status = 'running' returning id`,
    [run.connection.customerId, run.id, run.owner, JSON.stringify({ type, message })],
  );
  if (failed.length === 0) return;
  if (run.connection.mode === 'live') await planAfterFailure(store, run, interval);
  await clearStaging(store, run.connection.customerId, run.id);
}

/**
 * Ends the run under way of a live connection that is removed, with what it staged. The instance that works on it finds it
 * lost. The caller's transaction holds the customer's lock exclusively, so the run is not being made visible.
 */
export async function endLiveRun(
  store: Store,
  { customerId, platform }: ConnectionName,
  error: ApiError,
): Promise<void> {
  const { type, message } = error;
  const ended = await store.query<{ id: string }>(
    `update sync_runs set status = 'failed', ended_at = now(), error = $3
     where customer_id = $1 and platform = $2 and mode = 'live' and status = 'running' returning id`,
    [customerId, platform, JSON.stringify({ type, message })],
  );
  for (const { id } of ended) await clearStaging(store, customerId, id);
}

/** Lets go of a run that somebody else shall go on with. */
export async function releaseRun(store: Store, { connection, id, owner }: ClaimedRun): Promise<void> {
  await store.query(
    `update sync_runs set lease_until = now() - interval '1 millisecond'
     where customer_id = $1 and id = $2 and lease_owner = $3 and status = 'running'`,
    [connection.customerId, id, owner],
  );
}

/** Removes what a run has staged. */
export async function clearStaging(store: Store, customerId: string, runId: string): Promise<void> {
  for (const table of stagingTables) {
    await store.query(`delete from ${table} where customer_id = $1 and run_id = $2`, [customerId, runId]);
  }
}

/**
 * Reads the state of a run.
 *
 * @throws CustomerGone when there is no such run, which only the deletion of its customer can cause
 */
export async function readRun(store: Store, customerId: string, id: string): Promise<RunState> {
  const [row] = await store.query<{
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
    [customerId, id],
  );
  if (row === undefined) throw new CustomerGone();
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
