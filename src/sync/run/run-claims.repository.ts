import { randomUUID } from 'node:crypto';
import type { ConnectionMode, ConnectionName } from '../../platforms/connector';
import { markTimesTaken } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import { databaseTime } from '../../records/changes';
import type { ClaimedRun, RunRequest } from './run';
import { answerRequests } from '../schedule/schedules.repository';

/** What a claim finds: a run that is ours now, or one that somebody else works on. */
export type RunClaim = { readonly run: ClaimedRun } | { readonly elsewhere: string };

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

/**
 * Starts a run, or takes over a run whose lease is over.
 *
 * @param lease milliseconds
 * @returns undefined when the run under way ended at this moment: to be called again
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
  // A row that is locked belongs to a run that is being made visible, however old its lease looks.
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
 * Starts the run of a live connection if it is due. The row of the run is the claim: another instance that found the
 * connection due as well finds the run, or that it is due no more.
 *
 * @param lease milliseconds
 * @param interval milliseconds between two runs
 * @returns undefined when there is nothing to start
 */
export async function claimDueRun(
  tx: CustomerTransaction,
  name: ConnectionName,
  lease: number,
  interval: number,
): Promise<ClaimedRun | undefined> {
  const run = await startRun(tx, name, lease, {});
  if (run === undefined) return undefined;
  // The run comes first and its schedule second, here as everywhere: no two of us wait for each other.
  if (run.connection.mode === 'live' && (await answerRequests(tx, name, interval))) {
    await forgetEnded(tx, name);
    return run;
  }
  await tx.query('delete from sync_runs where customer_id = $1 and id = $2', [run.id]);
  return undefined;
}

/** @returns undefined when one is under way */
async function startRun(
  tx: CustomerTransaction,
  name: ConnectionName,
  lease: number,
  { whole = false, acceptDeletions = false }: RunRequest,
): Promise<ClaimedRun | undefined> {
  const { platform } = name;
  const owner = randomUUID();
  // A statement of its own: a cluster takes no subquery among the values of an insert.
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
