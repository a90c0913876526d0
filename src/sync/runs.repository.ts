import { randomUUID } from 'node:crypto';
import { ERROR_STATUS, type ApiError, type ErrorType } from '../errors/api-error';
import type { ConnectionMode, ConnectionName } from '../connectors/connector';
import { FOREIGN_KEY_VIOLATION, sqlStateOf } from '../database/database-errors';
import type { Store } from '../database/store';
import { countsFrom, CustomerGone, RunLost, type ClaimedRun, type TypeCounts } from './run';
import { stagingTables } from './staging-tables';

/** What a claim finds: a run that is ours now, or one that somebody else works on. */
export type Claim = { readonly run: ClaimedRun } | { readonly elsewhere: string };

/** The state of a run. */
export type RunState =
  | { readonly status: 'running'; readonly counts: TypeCounts; readonly abandoned: boolean }
  | { readonly status: 'done'; readonly result: TypeCounts }
  | { readonly status: 'failed'; readonly type: ErrorType; readonly message: string };

/** Ended runs are kept this long, so that whoever waits for one reads how it ended. */
const KEPT = `interval '1 day'`;

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
): Promise<Claim | undefined> {
  const { customerId, platform } = name;
  const owner = randomUUID();
  const [started] = await store
    .query<{ id: string; mode: ConnectionMode }>(
      `insert into sync_runs (customer_id, id, platform, mode, status, lease_owner, lease_until)
       values ($1, $2, $3,
         case when exists (select 1 from live_connections where customer_id = $1 and platform = $3)
           then 'live' else 'sandbox' end,
         'running', $4, now() + $5 * interval '1 millisecond')
       on conflict (customer_id, platform) where status = 'running' do nothing
       returning id, mode`,
      [customerId, randomUUID(), platform, owner, lease],
    )
    .catch((error: unknown) => {
      // A run refers to nothing but its customer. The state says enough, and a cluster's errors do not name the constraint.
      throw sqlStateOf(error) === FOREIGN_KEY_VIOLATION ? new CustomerGone() : error;
    });
  if (started !== undefined) {
    await store.query(
      `delete from sync_runs where customer_id = $1 and platform = $2 and ended_at < now() - ${KEPT}`,
      [customerId, platform],
    );
    return { run: { connection: { ...name, mode: started.mode }, id: started.id, owner } };
  }
  // A row that is locked belongs to a run that is being made visible, however old its lease looks.
  const [taken] = await store.query<{ id: string; mode: ConnectionMode }>(
    `update sync_runs set lease_owner = $3, lease_until = now() + $4 * interval '1 millisecond'
     where customer_id = $1 and id in (
       select id from sync_runs
       where customer_id = $1 and platform = $2 and status = 'running' and lease_until < now()
       for update skip locked
     ) returning id, mode`,
    [customerId, platform, owner, lease],
  );
  if (taken !== undefined) return { run: { connection: { ...name, mode: taken.mode }, id: taken.id, owner } };
  const [other] = await store.query<{ id: string }>(
    `select id from sync_runs where customer_id = $1 and platform = $2 and status = 'running'`,
    [customerId, platform],
  );
  return other && { elsewhere: other.id };
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
export async function finishRun(store: Store, run: ClaimedRun, result: TypeCounts): Promise<void> {
  await store.query(
    `update sync_runs set status = 'done', ended_at = now(), result = $3 where customer_id = $1 and id = $2`,
    [run.connection.customerId, run.id, JSON.stringify(result)],
  );
}

/** Ends a run badly, and removes what it staged. A run that is no longer ours stays as it is. */
export async function failRun(store: Store, run: ClaimedRun, error: ApiError): Promise<void> {
  const { type, message } = error;
  const failed = await store.query(
    `update sync_runs set status = 'failed', ended_at = now(), error = $4
     where customer_id = $1 and id = $2 and lease_owner = $3 and status = 'running' returning id`,
    [run.connection.customerId, run.id, run.owner, JSON.stringify({ type, message })],
  );
  if (failed.length > 0) await clearStaging(store, run.connection.customerId, run.id);
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
    counts: unknown;
    result: unknown;
    error: { type: string; message: string } | null;
    abandoned: boolean;
  }>(
    `select status, counts, result, error, lease_until < now() as abandoned from sync_runs
     where customer_id = $1 and id = $2`,
    [customerId, id],
  );
  if (row === undefined) throw new CustomerGone();
  switch (row.status) {
    case 'running':
      return { status: 'running', counts: countsFrom(row.counts), abandoned: row.abandoned };
    case 'done':
      return { status: 'done', result: countsFrom(row.result) };
    case 'failed':
      return {
        status: 'failed',
        type: isErrorType(row.error?.type) ? row.error.type : 'INTERNAL_ERROR',
        message: row.error?.message ?? '',
      };
  }
}

function isErrorType(type: string | undefined): type is ErrorType {
  return type !== undefined && Object.hasOwn(ERROR_STATUS, type);
}
