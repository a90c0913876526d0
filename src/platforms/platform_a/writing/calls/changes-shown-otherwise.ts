import { isJsonArray, ownMember, valueAt, decimalIn, type JsonObject, type NativeChange } from '@app/mapper';
import { firstOf } from './create';
import { placeOf } from '../fields/fields';
import { changesNotShown } from '../fields/changes-shown';
import type { WriteContext } from '../write-context';

/**
 * The fields that the creating call set and that a record shows with another value. Such a record belongs to another
 * creation, or another user has changed it since. A field that the record does not show is ignored. The amount counts
 * only once another user has given the record one: a new contract has no line, a new invoice no amount in its items,
 * and the command gives it the whole amount after the creation.
 */
export function changesShownOtherwise(work: WriteContext, record: JsonObject): readonly NativeChange[] {
  const { entityType } = work.command;
  const said = firstOf(work).filter(
    (change) =>
      change.value !== null &&
      (['header', 'vendor'].includes(placeOf(entityType, change, true).kind) ||
        isAmountGiven(change, record)),
  );
  return changesNotShown(work, record, said).filter(({ path }) => valueAt(record, path) !== undefined);
}

function isAmountGiven({ path }: NativeChange, record: JsonObject): boolean {
  switch (path.join('.')) {
    case 'grand_total':
      return hasLine(record);
    case 'summary.current_payment_due':
      return (decimalIn(valueAt(record, path))?.units ?? 0n) !== 0n;
    default:
      return false;
  }
}

function hasLine(contract: JsonObject): boolean {
  const lines = ownMember(contract, 'line_items');
  return isJsonArray(lines) && lines.length > 0;
}
