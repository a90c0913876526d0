import { isJsonArray, ownMember, valueAt, type JsonObject, type NativeChange } from '@app/mapper';
import { firstOf } from './create';
import { placeOf } from '../fields/fields';
import { changesNotShown } from '../fields/changes-shown';
import type { WriteContext } from '../write-context';

/**
 * Returns the fields that the creating call set and that a record shows with another value. Such a record belongs to
 * another creation, or another user has changed it since. A field that the record does not show is ignored. The amount of a
 * contract counts once it has a line: a new contract has none, and the command gives it one with the whole amount.
 */
export function changesShownOtherwise(work: WriteContext, record: JsonObject): readonly NativeChange[] {
  const { entityType } = work.command;
  const said = firstOf(work).filter(
    (change) =>
      change.value !== null &&
      (['header', 'vendor'].includes(placeOf(entityType, change, true).kind) ||
        (change.path[0] === 'grand_total' && hasLine(record))),
  );
  return changesNotShown(work, record, said).filter(({ path }) => valueAt(record, path) !== undefined);
}

function hasLine(contract: JsonObject): boolean {
  const lines = ownMember(contract, 'line_items');
  return isJsonArray(lines) && lines.length > 0;
}
