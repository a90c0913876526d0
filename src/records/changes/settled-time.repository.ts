import { setTimeout as sleep } from 'node:timers/promises';
import { holdersSql, timeLockNames } from '../../database/transaction/customer-lock';
import { timeText } from '../../database/transaction/time-text';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import { ApiError } from '../../common/errors/api-error';

/**
 * A change takes its time behind a lock of the customer and commits later, so a snapshot may lack a change with an earlier
 * time than its own. What an answer shows is exactly what changed until a time only where that time is settled: every change
 * with that time or an earlier one is committed, and no later one can get such a time.
 *
 * A lock is released after the commit shows. So a transaction that holds none when the clock has been read has committed, or
 * takes a later time. A transaction that holds one takes no earlier time than its begin.
 */

/** Earlier than every change: what is settled while it cannot be seen when the transaction of a lock began. */
const NEVER = `timestamptz '0001-01-01 00:00:00+00'`;

const clockSql = `select ${timeText('clock_timestamp()')} as now`;

// A role sees of sessions of other roles that they are there, and no times. A session without a transaction has ended since
// the locks were read. The caller's own lock is no reason to wait.
const beforeOpenSql = `
  select ${timeText('open.before')} as before from (
    select min(case when a.state is null or a.state = 'disabled' then ${NEVER} else a.xact_start end)
      - interval '1 microsecond' as before
    from ${holdersSql('$1')} holder join pg_stat_activity a on a.pid = holder.pid
    where holder.pid <> pg_backend_pid()
  ) open`;

/**
 * The latest time that is known to be settled for a customer. Snapshots that are taken afterwards show every change until
 * then. No transaction waits for it, and it waits for none. While a change is being written, it lies just before that change.
 *
 * To be asked for in a transaction before the one that reads what the time is said of.
 *
 * @returns in UTC, with microseconds
 */
export async function settledTime(tx: CustomerTransaction): Promise<string> {
  return (await clockAndSettled(tx)).settled;
}

/** How long a caller waits for the time that it names, in milliseconds, and between two looks. */
const WAIT_LIMIT_MS = 2_500;
const LOOK_MS = 20;

/**
 * Waits until a time that a caller names is settled. Returns at once for a time to come.
 *
 * @param time in UTC, with microseconds
 * @param gone ends the wait when the client leaves
 * @throws ApiError EXTERNAL_SERVICE_ERROR when changes of that time take too long
 */
export async function awaitSettled(
  unitOfWork: UnitOfWork,
  customerId: string,
  time: string,
  gone?: AbortSignal,
): Promise<void> {
  const until = performance.now() + WAIT_LIMIT_MS;
  for (;;) {
    // A transaction for each look: within one, a session's state is read once.
    const { now, settled } = await unitOfWork.runFor(customerId, (tx) => clockAndSettled(tx), {
      readOnly: true,
      signal: gone,
    });
    if (settled >= time || now < time) return;
    if (performance.now() > until)
      throw new ApiError(
        'EXTERNAL_SERVICE_ERROR',
        'Changes of that time are still being written; ask again in a moment, or for an earlier time',
      );
    await sleep(LOOK_MS, undefined, { signal: gone });
  }
}

async function clockAndSettled(
  tx: CustomerTransaction,
): Promise<{ readonly now: string; readonly settled: string }> {
  // Two statements, since the clock has to be read first.
  const [[clock], [open]] = await Promise.all([
    tx.store.query<{ now: string }>(clockSql),
    tx.store.query<{ before: string | null }>(beforeOpenSql, [timeLockNames(tx.customerId)]),
  ]);
  if (clock === undefined) throw new Error('The database has no time');
  const before = open?.before ?? clock.now;
  // Texts of one form are in the order of their times.
  return { now: clock.now, settled: before < clock.now ? before : clock.now };
}
