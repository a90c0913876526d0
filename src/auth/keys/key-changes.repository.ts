import type { CustomerTransaction } from '../../database/transaction/store';

/** The channel on which instances notify each other of changed keys. */
export const KEY_CHANGES = 'api_key_changes';

/** Notifies every instance, at commit, that keys of a customer have ended, were deleted, or have new properties. */
export async function announceKeyChange(tx: CustomerTransaction): Promise<void> {
  await tx.store.query('select pg_notify($1, $2)', [KEY_CHANGES, tx.customerId]);
}
