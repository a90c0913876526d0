import { ownMember, valueAt, type JsonObject, type NativeChange, type StoredEntityType } from '@app/mapper';
import { placeOf } from './fields';
import { isShown, sameValue } from './values';

/**
 * The changes that the answer to the call that wrote them shows as made. Of what no record shows, an answer that can be read
 * is all that there ever is.
 *
 * @param current the record before the call
 * @param answer undefined where it cannot be read: then it shows nothing
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
