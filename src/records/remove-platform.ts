import type { PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/store';
import { databaseTime } from '../database/transaction/database-time';
import type { CanonicalObjectsRepository } from './objects/canonical-objects.repository';
import { forgetDeletedOf } from './platform-records/deleted-records.repository';
import type { PlatformRecordsRepository } from './platform-records/platform-records.repository';
import { deleteVersionsOf } from './changes/record-versions.repository';
import { noteRemoved } from './history/history-horizon.repository';

/** The tables of objects and their records. */
export interface StoredRecords {
  readonly records: PlatformRecordsRepository;
  readonly objects: CanonicalObjectsRepository;
}

/**
 * Removes a platform's records with their versions, and the objects that then have no record, within the caller's
 * transaction. The caller holds the customer's lock exclusively. A record refers only to records of its own platform,
 * so no other platform's record loses a reference.
 *
 * @returns how many records were removed
 */
export async function removePlatformRecords(
  tx: CustomerTransaction,
  { records, objects }: StoredRecords,
  platform: PlatformName,
): Promise<number> {
  // The versions are removed too, so no earlier time can be shown any more.
  await noteRemoved(tx, await databaseTime(tx.store));
  const removed = await records.deleteOf(tx, platform);
  await forgetDeletedOf(tx, platform);
  await deleteVersionsOf(tx, platform);
  await objects.deleteWithoutRecords(tx);
  return removed;
}

/**
 * Removes the deleted records of a platform with all versions of its records, as {@link removePlatformRecords} does.
 * Present records stay.
 *
 * @returns how many records were removed
 */
export async function removeDeletedRecords(
  tx: CustomerTransaction,
  objects: CanonicalObjectsRepository,
  platform: PlatformName,
): Promise<number> {
  await noteRemoved(tx, await databaseTime(tx.store));
  const removed = await forgetDeletedOf(tx, platform);
  await deleteVersionsOf(tx, platform);
  await objects.deleteWithoutRecords(tx);
  return removed;
}
