import type { ConnectionName } from '../../platforms/connector';
import type { Store } from '../../database/transaction/store';

/** Forgets when a connection is to be read again, and the records that its platform has named. Behind the end of its run, which has the schedule locked otherwise. */
export async function forgetSchedule(store: Store, { customerId, platform }: ConnectionName): Promise<void> {
  for (const table of ['sync_schedules', 'named_records']) {
    await store.query(`delete from ${table} where customer_id = $1 and platform = $2`, [
      customerId,
      platform,
    ]);
  }
}

/** Forgets from where a connection would be read on, when what was read of it is removed. */
export async function forgetCursors(store: Store, { customerId, platform }: ConnectionName): Promise<void> {
  await store.query('delete from sync_cursors where customer_id = $1 and platform = $2', [
    customerId,
    platform,
  ]);
}
