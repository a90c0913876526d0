import type { Store } from '../database/transaction/store';

/** The channel on which instances tell each other whose keys have changed. */
export const KEY_CHANGES = 'api_key_changes';

/** Tells every instance, once the transaction is committed, that keys of a customer were ended or removed. */
export async function announceKeyChange(store: Store, customerId: string): Promise<void> {
  await store.query('select pg_notify($1, $2)', [KEY_CHANGES, customerId]);
}
