import { ownMember, valueAt, type JsonObject, type NativeChange, type StoredEntityType } from '@app/mapper';
import { placeOf } from './fields';
import { isShown, sameValue } from './values';

/**
 * The changes that the response of the writing call shows as made. For fields that no record shows, a readable response
 * is the only evidence.
 *
 * @param current the record before the call
 * @param answer the response; undefined if it cannot be read, and then it confirms nothing
 */
export function confirmedChanges(
  entityType: StoredEntityType,
  changes: readonly NativeChange[],
  current: JsonObject,
  answer: JsonObject | undefined,
): readonly NativeChange[] {
  if (answer === undefined) return [];
  return changes.filter((change) => {
    const { path, value } = change;
    if (!isShown(entityType, path, current)) return true;
    const isLine = entityType === 'contract' && placeOf(entityType, change, false).kind === 'amount';
    const shown = isLine ? ownMember(answer, 'amount') : valueAt(answer, path);
    return shown !== undefined && sameValue(entityType, path, shown, value);
  });
}
