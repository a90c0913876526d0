import type { JsonObject, NativeChange, StoredEntityType } from '@app/mapper';
import { placeOf } from './fields';
import { openChanges, unshownChanges } from './values';

/**
 * The changes that a write sends: for a new record, those that it does not take over from elsewhere; for an existing
 * record, those that it does not show yet.
 */
export function sentOf(
  entityType: StoredEntityType,
  changes: readonly NativeChange[],
  current: JsonObject | undefined,
): readonly NativeChange[] {
  if (current === undefined) {
    return changes.filter((change) => placeOf(entityType, change, true).kind !== 'taken_over');
  }
  const open = new Set([
    ...openChanges(entityType, changes, current),
    ...unshownChanges(entityType, changes, current),
  ]);
  return changes.filter((change) => open.has(change));
}
