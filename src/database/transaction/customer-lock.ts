import type { CustomerTransaction } from './store';

/**
 * Locks a customer until the transaction ends. Changes of single objects hold the lock `shared` and run side by side.
 * Work on all of a customer's data (publishing a reading, deleting the customer) holds it `exclusive`. PostgreSQL
 * serves requests for the lock in order, so a stream of changes cannot starve an exclusive request.
 *
 * The lock is advisory: nothing is written for it, and rows that refer to the customer can still be inserted.
 *
 * @returns whether the customer exists
 * @throws QueryFailedError LOCK_NOT_AVAILABLE when the lock is not given within the transaction's `lock_timeout`
 */
export async function lockCustomer(tx: CustomerTransaction, mode: LockMode): Promise<boolean> {
  const [, found] = await Promise.all([
    takeCustomerLock(tx, mode),
    // A separate statement after the lock, because the previous holder may have deleted the customer.
    tx.query('select 1 from customers where id = $1'),
  ]);
  return found.length > 0;
}

/**
 * Locks a customer like {@link lockCustomer}, for callers whose next statement also reads {@link CUSTOMER_EXISTS}.
 *
 * @throws as {@link lockCustomer} does
 */
export async function takeCustomerLock(tx: CustomerTransaction, mode: LockMode): Promise<void> {
  const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await tx.store.query(`select ${lock}(hashtextextended($1, 0))`, [lockName(tx.customerId)]);
}

/** SQL for whether the customer, `$1`, exists. */
export const CUSTOMER_EXISTS = 'exists (select from customers where id = $1)';

/** See {@link lockCustomer}. */
type LockMode = 'shared' | 'exclusive';

/**
 * Locks a customer exclusively, like {@link lockCustomer}, if no other transaction holds or awaits the lock. Never
 * waits.
 *
 * @returns whether the lock was given; the customer may have been deleted nevertheless
 */
export async function tryLockCustomer(tx: CustomerTransaction): Promise<boolean> {
  const [row] = await tx.store.query<{ given: boolean }>(
    'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as given',
    [lockName(tx.customerId)],
  );
  return row?.given === true;
}

/**
 * Marks the transaction, until it ends, as one that writes times for a customer without the customer's lock: new
 * terms, or the begin and end of a run. No transaction holds the mark exclusively, so none waits for it. Transactions
 * with the customer's lock carry the mark too. Times must be read after the mark is set.
 */
export async function markTimesTaken(tx: CustomerTransaction): Promise<void> {
  await tx.store.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [
    markName(tx.customerId),
  ]);
}

/**
 * SQL for the sessions whose open transactions hold one of the locks: a relation with the column `pid`. `pg_locks` shows
 * an advisory lock of 64 bits as two halves.
 *
 * @param names the parameter that holds the names of the locks, an array of text
 */
export function holdersSql(names: string): string {
  return `(
    select l.pid from pg_locks l
    join unnest(${names}::text[]) named (name)
      on l.classid = ((hashtextextended(named.name, 0) >> 32) & 4294967295)::oid
      and l.objid = (hashtextextended(named.name, 0) & 4294967295)::oid
    where l.locktype = 'advisory' and l.objsubid = 1 and l.granted
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
  )`;
}

/**
 * The names of the locks for times of a customer's changes. A transaction that writes such a time holds one of them from
 * before it reads the time until it ends.
 */
export function lockNamesOfTimes(customerId: string): readonly string[] {
  return [lockName(customerId), markName(customerId)];
}

function lockName(customerId: string): string {
  return `customer ${customerId}`;
}

function markName(customerId: string): string {
  return `times of customer ${customerId}`;
}
