import type { PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/customer-transaction';
import { databaseTime } from './changes';
import { noteRemoved } from './history-horizon';

/**
 * Removes what is stored of a platform, its versions included, and the objects that no other platform has a record of, within the caller's
 * transaction, which holds the customer's lock exclusively. A record refers to records of its own platform only, so none of
 * the others loses what it refers to.
 *
 * @returns how many records were removed
 */
export async function removePlatformRecords(
  tx: CustomerTransaction,
  platform: PlatformName,
): Promise<number> {
  // Its versions go as well, so no earlier time can be told any more.
  await noteRemoved(tx, await databaseTime(tx.store));
  const removed = await tx.execute('delete from platform_records where customer_id = $1 and platform = $2', [
    platform,
  ]);
  await tx.query('delete from deleted_records where customer_id = $1 and platform = $2', [platform]);
  await tx.query('delete from absent_moves where customer_id = $1 and platform = $2', [platform]);
  await tx.query('delete from record_versions where customer_id = $1 and platform = $2', [platform]);
  await tx.query(
    `delete from canonical_objects o where o.customer_id = $1 and not exists (
       select 1 from platform_records r where r.customer_id = $1 and r.canonical_id = o.id)`,
  );
  return removed;
}
