import { setTimeout as sleep } from 'node:timers/promises';
import { holdersSql, lockNamesOfTimes } from '../../database/transaction/customer-lock';
import { timeText } from '../../database/transaction/time-text';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';
import { inTheFuture } from './history-horizon.repository';

/**
 * A change reads its time under a lock of the customer and commits later. So a snapshot may lack a change whose time is
 * earlier than the snapshot's. A time is settled when every change up to it is committed and no further change can get
 * such a time. Only for a settled time does a response show exactly the changes until then.
 *
 * A lock is released after the commit becomes visible. So a transaction without a lock at the moment when the clock was
 * read has committed, or will get a later time. A transaction with a lock gets no time earlier than its begin.
 */

/** Earlier than every change: the settled time while the begin of a lock's transaction cannot be seen. */
const NEVER = `timestamptz '0001-01-01 00:00:00+00'`;

const clockSql = `select ${timeText('clock_timestamp()')} as now`;

// A role sees that sessions of other roles exist, but not their times. A session without a transaction has ended its
// work since the locks were read. The caller's own lock is no reason to wait.
const beforeOpenSql = `
  select ${timeText('open.before')} as before from (
    select min(case when a.state is null or a.state = 'disabled' then ${NEVER} else a.xact_start end)
      - interval '1 microsecond' as before
    from ${holdersSql('$1')} holder join pg_stat_activity a on a.pid = holder.pid
    where holder.pid <> pg_backend_pid()
  ) open`;

/**
 * The latest time that is known to be settled for a customer. Snapshots that are taken afterwards show every change
 * until then. No transaction waits for this function, and it waits for none. While a change is being written, the
 * settled time is just before that change.
 *
 * The caller asks for it in one transaction and reads the data in a later one.
 *
 * @returns in UTC, with microseconds
 */
export async function settledTime(tx: CustomerTransaction): Promise<string> {
  return (await clockAndSettled(tx)).settled;
}

/** Milliseconds that a caller waits until its time is settled, and between two checks. */
const WAIT_LIMIT_MS = 2_500;
const POLL_MS = 20;

/**
 * Waits until a time is settled. A future time is refused here: by the time the caller reads, it may have passed, and then
 * the changes until that time would not have been waited for.
 *
 * @param time in UTC, with microseconds
 * @param gone ends the wait when the client leaves
 * @throws ApiError VALIDATION_ERROR for a future time; EXTERNAL_SERVICE_ERROR when changes of that time take too long
 */
export async function awaitSettled(
  unitOfWork: UnitOfWork,
  customerId: string,
  time: string,
  gone?: AbortSignal,
): Promise<void> {
  const until = performance.now() + WAIT_LIMIT_MS;
  for (;;) {
    // Each check has its own transaction, because the state of sessions is read once in a transaction.
    const { now, settled } = await unitOfWork.runFor(customerId, (tx) => clockAndSettled(tx), {
      readOnly: true,
      signal: gone,
    });
    if (settled >= time) return;
    if (now < time) throw inTheFuture();
    if (performance.now() > until)
      throw new ApiError(
        'EXTERNAL_SERVICE_ERROR',
        'Changes of that time are still being written; ask again in a moment, or for an earlier time',
      );
    await sleep(POLL_MS, undefined, { signal: gone });
  }
}

async function clockAndSettled(
  tx: CustomerTransaction,
): Promise<{ readonly now: string; readonly settled: string }> {
  // Two statements, because the clock must be read first.
  const [[clock], [open]] = await Promise.all([
    tx.store.query<{ now: string }>(clockSql),
    tx.store.query<{ before: string | null }>(beforeOpenSql, [lockNamesOfTimes(tx.customerId)]),
  ]);
  if (clock === undefined) throw new Error('The database has no time');
  const before = open?.before ?? clock.now;
  // The texts have one format, so their order is that of the times.
  return { now: clock.now, settled: before < clock.now ? before : clock.now };
}
