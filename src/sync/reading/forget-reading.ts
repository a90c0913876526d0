import type { ConnectionName } from '../../platforms/connector';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';

/**
 * Deletes a connection's schedule and the records that its platform has named. The caller has ended the connection's
 * run first, because a run locks the schedule.
 */
export async function forgetSchedule(tx: CustomerTransaction, { platform }: ConnectionName): Promise<void> {
  for (const table of ['sync_schedules', 'named_records']) {
    await tx.query(`delete from ${table} where customer_id = $1 and platform = $2`, [platform]);
  }
}

/** Deletes the cursors of a connection when the records that were read of it are removed. */
export async function forgetCursors(tx: CustomerTransaction, { platform }: ConnectionName): Promise<void> {
  await tx.query('delete from sync_cursors where customer_id = $1 and platform = $2', [platform]);
}
