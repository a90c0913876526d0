import { valueAt, type JsonObject, type NativeChange } from '@app/mapper';
import type { Round } from '../../../live/writing/write-steps';
import { shownValue } from '../../../shown-value';
import { changesNotShown } from '../fields/changes-shown';
import { placeOf } from '../fields/fields';
import { sameValue } from '../fields/values';
import type { WriteContext } from '../write-context';

/**
 * Whether a record read back does not show a write yet: a field that the write sets is unchanged, and no response and no
 * other field of the write shows that the platform has stored another value.
 */
export function isShownLate(work: WriteContext, round: Round, record: JsonObject): boolean {
  const left = changesNotShown(work, record, round.changes).filter(
    (change) => !wasMade(work, round, change, record),
  );
  const isDecided = (change: NativeChange): boolean =>
    !isUnchanged(work, round, change, record) || says(work, round, 'other', change);
  return left.length > 0 && !left.some(isDecided);
}

/**
 * Whether a change that a record does not show was made: the field differs from the state before, and a response shows
 * the wanted value. Another user has overwritten it.
 */
export function wasMade(work: WriteContext, round: Round, change: NativeChange, record: JsonObject): boolean {
  return !isUnchanged(work, round, change, record) && says(work, round, 'wanted', change);
}

/** Whether a field has the value that it had before the write. */
function isUnchanged(
  { command: { entityType } }: WriteContext,
  { record: before }: Round,
  { path }: NativeChange,
  record: JsonObject,
): boolean {
  return sameValue(entityType, path, valueAt(record, path), valueAt(before, path));
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

/** Characters of a value in a reason. */
const LONGEST_VALUE = 100;

/** The most fields that one message names. */
const MOST_NAMED = 10;

/** The reason for fields in which the platform stored another value. */
export function otherValuesReason(
  platform: string,
  payload: JsonObject,
  open: readonly NativeChange[],
): string {
  const named = open.slice(0, MOST_NAMED).map(({ path, value }) => {
    const made = shownValue(valueAt(payload, path), LONGEST_VALUE);
    return `${path.join('.')} ${made}, not ${shownValue(value, LONGEST_VALUE)}`;
  });
  return `${platform} made ${named.join('; ')}`;
}
