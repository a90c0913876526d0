import { isErrorType, type ErrorType } from '../../common/errors/api-error';
import type { ConnectionMode, ConnectionName } from '../../platforms/connector';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import type { Store } from '../../database/transaction/store';
import { countsFrom, RunLost, type ClaimedRun, type TypeCounts } from './run';
import type { RunEnd } from './run-end';
import { reportFrom } from './run-report';

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

/** Whether a connection leads to the platform itself, which it does while the customer has credentials. */
export async function modeOf(tx: CustomerTransaction, { platform }: ConnectionName): Promise<ConnectionMode> {
  const live = await tx.query('select 1 from live_connections where customer_id = $1 and platform = $2', [
    platform,
  ]);
  return live.length > 0 ? 'live' : 'sandbox';
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

/** Lets go of a run that somebody else shall go on with. */
export async function releaseRun(store: Store, { connection, id, owner }: ClaimedRun): Promise<void> {
  await store.query(
    `update sync_runs set lease_until = now() - interval '1 millisecond'
     where customer_id = $1 and id = $2 and lease_owner = $3 and status = 'running'`,
    [connection.customerId, id, owner],
  );
}

/**
 * Reads the state of a run.
 *
 * @throws CustomerDeleted when there is no such run, which only the deletion of its customer can cause
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
