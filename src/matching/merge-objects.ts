import type { StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/store';
import { endMergedObjects, joinExtra } from '../records/objects/canonical-objects.repository';
import { canonicalReferences, followMerges } from '../records/objects/canonical-references.repository';
import { referenceColumns } from '../records/platform-records/record-columns';
import type { MatchingRound } from './matching-round';
import { anyMerge, storedMerges } from './staged-matches.repository';

/**
 * Merges stored objects that matching has joined. References to the merged object name the remaining one, its ID
 * becomes an alias, and canonical fields that no platform can hold are kept.
 */
export async function mergeObjects(
  tx: CustomerTransaction,
  { runId, entityType, cause }: Pick<MatchingRound, 'runId' | 'entityType' | 'cause'>,
): Promise<void> {
  const merges = storedMerges(entityType, runId);
  if (!(await anyMerge(tx, merges))) return;
  await joinExtra(tx, merges, cause);
  await followMerges(tx, merges, cause, referencesTo(entityType));
  await endMergedObjects(tx, merges, cause);
}

// Other columns name objects of other types. Records are not found by what they refer to: each column takes a look at all.
function referencesTo(entityType: StoredEntityType): typeof canonicalReferences {
  const others = Object.values(referenceColumns)
    .filter((reference) => reference.entityType !== entityType)
    .map(({ id }): string => id);
  return canonicalReferences.filter(({ column }) => !others.includes(column));
}
