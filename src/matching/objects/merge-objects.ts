import type { StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { endMergedObjects, joinExtra } from '../../records/objects/canonical-objects.repository';
import type { Merges } from '../../records/objects/merges';
import { canonicalReferences, followMerges } from '../../records/objects/canonical-references.repository';
import { referenceColumns } from '../../records/platform-records/record-columns';
import type { ObjectChange } from './object-change';

/**
 * Merges stored objects. References to a merged object name the remaining one, its ID becomes an alias, and canonical
 * fields that no platform can hold are kept.
 */
export async function mergeObjects(
  tx: CustomerTransaction,
  { entityType, cause }: ObjectChange,
  merges: Merges,
): Promise<void> {
  await joinExtra(tx, merges, cause);
  await followMerges(tx, merges, cause, referencesTo(entityType));
  await endMergedObjects(tx, merges, cause);
}

// Other columns name objects of other types. No index leads from an object to the records that refer to it, so each
// column costs a scan of all records.
function referencesTo(entityType: StoredEntityType): typeof canonicalReferences {
  const others = Object.values(referenceColumns)
    .filter((reference) => reference.entityType !== entityType)
    .map(({ id }): string => id);
  return canonicalReferences.filter(({ column }) => !others.includes(column));
}
