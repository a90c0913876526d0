import type { PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/store';
import { databaseTime } from '../database/transaction/database-time';
import { deleteObjectsWithoutRecords } from './objects/canonical-objects.repository';
import { forgetDeletedOf } from './platform-records/deleted-records.repository';
import { deleteRecordsOf } from './platform-records/platform-records.repository';
import { deleteVersionsOf } from './changes/record-versions.repository';
import { noteRemoved } from './history/history-horizon.repository';

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
  const removed = await deleteRecordsOf(tx, platform);
  await forgetDeletedOf(tx, platform);
  await deleteVersionsOf(tx, platform);
  await deleteObjectsWithoutRecords(tx);
  return removed;
}
