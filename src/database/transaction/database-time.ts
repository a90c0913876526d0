import type { Store } from './store';

/**
 * The database's time now, with microseconds. A transaction that holds the lock of an object, or the customer's lock, gets a
 * later time than every change that held the lock before.
 */
export async function databaseTime(store: Store): Promise<string> {
  const [row] = await store.query<{ at: string }>('select clock_timestamp()::text as at');
  if (row === undefined) throw new Error('The database has no time');
  return row.at;
}

/** The database's time when the transaction began. */
export async function transactionTime(store: Store): Promise<Date> {
  const [row] = await store.query<{ now: Date }>('select now() as now');
  if (row === undefined) throw new Error('The database has no time');
  return row.now;
}
