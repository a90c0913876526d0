import type { Store } from './store';
import { timeText } from './time-text';
import type { UnitOfWork } from './unit-of-work';

/**
 * The database's time now, in UTC with microseconds. A transaction that holds the lock of an object, or the customer's
 * lock, gets a later time than every change that held the lock before.
 */
export async function databaseTime(store: Store): Promise<string> {
  const [row] = await store.query<{ at: string }>(`select ${timeText('clock_timestamp()')} as at`);
  if (row === undefined) throw new Error('The database has no time');
  return row.at;
}

/** The database's time when the transaction began. */
export async function transactionTime(store: Store): Promise<Date> {
  const [row] = await store.query<{ now: Date }>('select now() as now');
  if (row === undefined) throw new Error('The database has no time');
  return row.now;
}

const clock = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as at';

/** The database's clock in milliseconds of Unix time, within a transaction. */
export async function clockMilliseconds(store: Store): Promise<number> {
  return only(await store.query<{ at: number }>(clock));
}

/** The database's clock in milliseconds of Unix time, in a transaction of its own. */
export async function readClock(unitOfWork: Pick<UnitOfWork, 'read'>): Promise<number> {
  return only(await unitOfWork.read<{ at: number }>(clock, []));
}

function only([row]: readonly { readonly at: number }[]): number {
  if (row === undefined) throw new Error('The database has no time');
  return row.at;
}
