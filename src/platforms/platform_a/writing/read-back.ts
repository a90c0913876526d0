import { stringifyJson, valueAt, type JsonObject, type JsonValue, type NativeChange } from '@app/mapper';
import type { ChangeOutcomes } from '../../live/change-outcomes';
import { placeOf } from './fields';
import type { WriteResult, ExistingRecord } from './write-result';
import { orUndefinedDuringOutage } from './outage';
import { changesNotShown } from './changes-shown';
import { sameValue, unshownChanges } from './values';
import { readCurrent, type WriteContext } from './write-context';

/**
 * Reads a record after a write. A platform may show a write late. While the record is unchanged and no response shows
 * the final value, the record is read again.
 */
export async function readBack(
  work: WriteContext,
  record: ExistingRecord,
  {
    changes,
    answers,
  }: { readonly changes: readonly NativeChange[]; readonly answers: readonly JsonObject[] },
  outcomes: ChangeOutcomes,
): Promise<WriteResult> {
  const { command, times, pause } = work;
  const { entityType } = command;
  const wasOpen = changesNotShown(work, record.current, command.changes);
  for (const wait of [0, ...times.readBack]) {
    if (wait > 0) await pause(wait);
    const found = await orUndefinedDuringOutage(readCurrent(work, record.id, record.parents));
    if (found === undefined) continue;
    const { payload } = found;
    const open = changesNotShown(work, payload, changes);
    const isOld = ({ path }: NativeChange): boolean =>
      sameValue(entityType, path, valueAt(payload, path), valueAt(record.current, path));
    const says = (shown: ShownValue, change: NativeChange): boolean =>
      answers.some((answer) => shownIn(work, answer, change) === shown);
    // Another user may overwrite the change at once. The change was made nevertheless.
    const left = open.filter((change) => isOld(change) || !says('wanted', change));
    if (left.length > 0 && !left.some((change) => !isOld(change) || says('other', change))) continue;
    outcomes.noteMade(changes.filter((change) => !open.includes(change)));
    outcomes.noteUnseen(unshownChanges(entityType, changes, payload));
    outcomes.noteReplaced(open.filter((change) => !left.includes(change)));
    outcomes.noteRefused(left, otherValuesReason(command.platform, payload, left));
    // The same holds for fields that needed no call.
    const others = changesNotShown(work, payload, outcomes.wanted).filter(
      (change) => !wasOpen.includes(change),
    );
    outcomes.noteReplaced(others);
    return outcomes.writeOutcome(payload);
  }
  // The platform confirmed the write and does not show it yet. Settling checks for longer.
  return { status: 'uncertain' };
}

type ShownValue = 'wanted' | 'other' | undefined;

/** Which value a response shows for a header field: the wanted one or another one. */
function shownIn(
  { command: { entityType } }: WriteContext,
  answer: JsonObject,
  change: NativeChange,
): ShownValue {
  if (placeOf(entityType, change, false).kind !== 'header') return undefined;
  const shown = valueAt(answer, change.path);
  if (shown === undefined) return undefined;
  return sameValue(entityType, change.path, shown, change.value) ? 'wanted' : 'other';
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
