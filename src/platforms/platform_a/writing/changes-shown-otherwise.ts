import { valueAt, type JsonObject, type NativeChange } from '@app/mapper';
import { firstOf } from './create';
import { placeOf } from './fields';
import { changesNotShown } from './changes-shown';
import type { WriteContext } from './write-context';

/**
 * What the call that creates the command's record says, and a record shows otherwise: such a record is somebody else's, or
 * somebody has changed it since. What a record does not show at all says nothing.
 */
export function changesShownOtherwise(work: WriteContext, record: JsonObject): readonly NativeChange[] {
  const { entityType } = work.command;
  const said = firstOf(work).filter(
    (change) =>
      change.value !== null && ['header', 'vendor'].includes(placeOf(entityType, change, true).kind),
  );
  return changesNotShown(work, record, said).filter(({ path }) => valueAt(record, path) !== undefined);
}
