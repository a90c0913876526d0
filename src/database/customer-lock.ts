import type { Store } from './store';

/**
 * Locks a customer until the transaction ends. Changes of single objects hold it `shared`, and run side by side; what
 * concerns all of a customer's data at once (making a reading visible, deleting the customer) holds it `exclusive`.
 * Requests for the lock are served in order, so a stream of changes cannot starve whoever waits for all of them to end.
 *
 * The lock is an advisory one: nothing is written for it, and rows that refer to the customer can still be inserted.
 *
 * @returns whether there is such a customer
 * @throws QueryFailedError LOCK_NOT_AVAILABLE when the lock is not given within the transaction's `lock_timeout`
 */
export async function lockCustomer(
  store: Store,
  customerId: string,
  mode: 'shared' | 'exclusive',
): Promise<boolean> {
  const lock = mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  const [, found] = await Promise.all([
    store.query(`select ${lock}(hashtextextended($1, 0))`, [lockName(customerId)]),
    // A statement of its own, behind that one: whoever held the lock may have deleted the customer.
    store.query('select 1 from customers where id = $1', [customerId]),
  ]);
  return found.length > 0;
}

/**
 * Locks a customer exclusively, like {@link lockCustomer}, if nobody holds or awaits the lock. Never waits.
 *
 * @returns whether the lock was given; the customer may be gone all the same
 */
export async function tryLockCustomer(store: Store, customerId: string): Promise<boolean> {
  const [row] = await store.query<{ given: boolean }>(
    'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as given',
    [lockName(customerId)],
  );
  return row?.given === true;
}

function lockName(customerId: string): string {
  return `customer ${customerId}`;
}
