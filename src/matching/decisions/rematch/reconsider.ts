import { platformNames, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { loadConstraints } from '../../rule/link-constraints.repository';
import type { ChangeCause } from '../../../records/change-cause';
import { rematch } from './rematch';
import { decidedObjects, membersOf } from './matched-records.repository';

/**
 * Matches anew, with three platforms or more, the objects that decisions concern. Which of two records a third one belongs to
 * is a matter of precedence, and it may have been read before the others. With two platforms no third one is there. Comes
 * behind a reading, when nothing of it is staged any more.
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
