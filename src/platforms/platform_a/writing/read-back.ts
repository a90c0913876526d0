import { stringifyJson, valueAt, type JsonObject, type JsonValue, type NativeChange } from '@app/mapper';
import type { Round, ShownEffect } from '../../live/writing/write-steps';
import { changesNotShown } from './changes-shown';
import { placeOf } from './fields';
import { sameValue, unshownChanges } from './values';
import type { WriteContext } from './write-context';

/**
 * Whether a record read back does not show a write yet: a field that the write sets is unchanged, and no response and no
 * other field of the write shows that the platform has stored another value.
 */
export function isShownLate(work: WriteContext, round: Round, record: JsonObject): boolean {
  const left = notMade(work, round, record);
  const isDecided = (change: NativeChange): boolean =>
    !isUnchanged(work, round, record, change) || says(work, round, 'other', change);
  return left.length > 0 && !left.some(isDecided);
}

/** What a record read back shows of a write. */
export function effectShown(work: WriteContext, round: Round, record: JsonObject): ShownEffect {
  const { command } = work;
  const { existing, changes, wanted } = round;
  const unseen = unshownChanges(command.entityType, changes, record);
  const open = changesNotShown(work, record, changes);
  const refused = notMade(work, round, record);
  // Another user may also overwrite a field that needed no call.
  const wasOpen = changesNotShown(work, existing.record, command.changes);
  const others = changesNotShown(
    work,
    record,
    wanted.filter((change) => !wasOpen.includes(change)),
  );
  return {
    made: changes.filter((change) => !open.includes(change) && !unseen.includes(change)),
    unseen,
    replaced: [...open.filter((change) => !refused.includes(change)), ...others],
    refused,
    reason: otherValuesReason(command.platform, record, refused),
  };
}

/**
 * The changes of a write that a record does not show and that were not made as far as anything shows. A field that
 * differs from the state before and that a response shows as wanted was made, and overwritten by another user.
 */
function notMade(work: WriteContext, round: Round, record: JsonObject): readonly NativeChange[] {
  return changesNotShown(work, record, round.changes).filter(
    (change) => isUnchanged(work, round, record, change) || !says(work, round, 'wanted', change),
  );
}

/** Whether a field has the value that it had before the write. */
function isUnchanged(
  { command: { entityType } }: WriteContext,
  { existing }: Round,
  record: JsonObject,
  { path }: NativeChange,
): boolean {
  return sameValue(entityType, path, valueAt(record, path), valueAt(existing.record, path));
}

/** Whether a response shows the wanted value of a header field, or another one. */
function says(
  { command: { entityType } }: WriteContext,
  { accepted }: Round,
  value: 'wanted' | 'other',
  change: NativeChange,
): boolean {
  if (placeOf(entityType, change, false).kind !== 'header') return false;
  return accepted.some(({ answer }) => {
    const shown = answer.body && valueAt(answer.body, change.path);
    if (shown === undefined) return false;
    return sameValue(entityType, change.path, shown, change.value) === (value === 'wanted');
  });
}

/** The most fields that one message names. */
const MOST_NAMED = 10;

/** The reason for fields in which the platform stored another value. */
export function otherValuesReason(
  platform: string,
  payload: JsonObject,
  open: readonly NativeChange[],
): string {
  const named = open
    .slice(0, MOST_NAMED)
    .map(({ path, value }) => `${path.join('.')} ${short(valueAt(payload, path))}, not ${short(value)}`);
  return `${platform} made ${named.join('; ')}`;
}

function short(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : stringifyJson(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
