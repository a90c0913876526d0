import { platformNames, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { loadConstraints } from '../../rule/link-constraints.repository';
import type { ChangeCause } from '../../../records/changes/change-cause';
import { rematch } from './rematch';
import { decidedObjects, membersOf } from './matched-records.repository';

/**
 * Matches again the objects that decisions concern, at the end of a run. With three platforms or more, precedence
 * decides to which of two records a third record belongs, and an earlier run may have read the third record first. With
 * two platforms there is nothing to do.
 */
export async function reconsiderDecided(
  tx: CustomerTransaction,
  cause: ChangeCause,
  decided: ReadonlySet<StoredEntityType>,
): Promise<void> {
  if (platformNames.length < 3) return;
  for (const entityType of decided) {
    const objects = await decidedObjects(tx, entityType);
    if (objects.length === 0) continue;
    const constraints = await loadConstraints(tx, entityType, await membersOf(tx, entityType, objects));
    await rematch(tx, { entityType, cause }, objects, constraints);
  }
}
