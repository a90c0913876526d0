import { isJsonArray, ownMember, sameJson, type JsonObject, type NativeChange } from '@app/mapper';
import type { Attempt, Settlement } from '../../connector';
import { NotReadable } from '../wire/read-page';
import { finish } from './create';
import { onlyTimeMoved, timeOf } from './moved-time';
import { newRecordsSince, notedIds, type NewRecord } from './new-records';
import { notSeenYet, seenTooEarly } from './not-seen-yet';
import { NOT_FOUND_WORDS } from './send';
import { changesShownSince, changesNotShown } from './changes-shown';
import { changesShownOtherwise } from './changes-shown-otherwise';
import { changedByOthers, openChanges, unshownChanges } from './values';
import { readCurrent, parentsOf, type WriteContext } from './write-context';

/**
 * Checks whether an update happened. What did not happen may be sent again at once, because setting a value twice has
 * the same effect. The first line of a contract is the exception: sending it again would add a second line. If
 * another user has changed the same fields since, or the record is gone, the result is `held`.
 *
 * @throws PlatformError
 */
export async function settleUpdate(
  work: WriteContext,
  platformId: string,
  attempt: Attempt,
): Promise<Settlement> {
  const { command, times, progress: made } = work;
  const { before } = attempt;
  const found = await readCurrent(work, platformId, parentsOf(command, before));
  const soon = times.lookAgain.slice(0, 1);
  if (found === undefined) return notSeenYet(attempt, soon, `it ${NOT_FOUND_WORDS}`);
  const { payload } = found;
  const open = changesNotShown(work, payload, command.changes);
  const untold = unshownChanges(command.entityType, command.changes, payload);
  if (open.length === 0 && untold.length === 0) return { status: 'applied', payload };
  made.noteChanges(changesShownSince(work, before, open));
  if (open.length === 0) return settleUnshown(attempt, untold, payload, soon);
  const foreign = before === undefined ? [] : changedByOthers(command, open, payload, before);
  const names = foreign.map(({ path }) => path.join('.')).join(', ');
  const problem =
    foreign.length > 0
      ? `somebody else has changed ${names}`
      : untold.length === 0 && before !== undefined && onlyTimeMoved(before, payload)
        ? 'it was changed since, and shows nothing else than before: somebody may have set it back'
        : undefined;
  return notSeenYet(attempt, lacksFirstLine(work, payload) ? times.lookAgain : soon, problem);
}

/**
 * Settles fields that the platform never returns. If the record's timestamp has not moved, the write did not happen.
 * The due date of an invoice may not move the timestamp; sending it again is harmless.
 */
function settleUnshown(
  attempt: Attempt,
  untold: readonly NativeChange[],
  payload: JsonObject,
  soon: readonly number[],
): Settlement {
  const { before } = attempt;
  const isOwnCall = untold.some(({ path }) => path.join('.') === 'due_date');
  const isUnchanged = before !== undefined && sameJson(timeOf(before), timeOf(payload));
  return isOwnCall || isUnchanged
    ? notSeenYet(attempt, soon)
    : { status: 'applied', payload, unseen: untold };
}

/**
 * Finds the record that a command may have created, and sends what is missing of it. The record is found by its ID if
 * the platform has returned one, and otherwise by the notes taken before.
 *
 * @throws PlatformError
 */
export async function settleCreation(work: WriteContext, attempt: Attempt): Promise<Settlement> {
  const { command, times } = work;
  const id = attempt.made?.createdAs;
  if (id !== undefined) {
    const found = await readCurrent(work, id, parentsOf(command, undefined));
    // The platform had created it. Creating it again would make a duplicate, whatever happened to the first record.
    return found === undefined
      ? (seenTooEarly(attempt, times.lookAgain) ?? { status: 'held', reason: `it ${NOT_FOUND_WORDS}` })
      : settleCreated(work, attempt, { id, payload: found.payload });
  }
  const noted = notedIds(attempt.notes);
  if (noted === undefined) {
    return { status: 'held', reason: `nobody noted what ${command.platform} had before` };
  }
  let found: readonly NewRecord[];
  try {
    found = await newRecordsSince(work, noted);
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    // A list that cannot be read proves nothing.
    return { status: 'uncertain', until: work.session.after(times.refused) };
  }
  const [appeared, ...others] = found;
  if (appeared === undefined) return notSeenYet(attempt, times.lookAgain);
  if (others.length > 0) {
    const ids = [appeared, ...others].map(({ id }) => id).join(', ');
    return { status: 'held', reason: `${command.platform} has several new records that could be it: ${ids}` };
  }
  const unlike = changesShownOtherwise(work, appeared.payload).map(({ path }) => path.join('.'));
  if (unlike.length === 0) return settleCreated(work, attempt, appeared);
  // The command's own record may still appear, and this one must not be overwritten.
  const shown = `${command.platform} has a new record that could be it: ${appeared.id} has another ${unlike.join(', ')}`;
  return notSeenYet(attempt, times.lookAgain, shown);
}

async function settleCreated(work: WriteContext, attempt: Attempt, appeared: NewRecord): Promise<Settlement> {
  const { command, times } = work;
  work.progress.noteCreated(appeared.id);
  if (lacksFirstLine(work, appeared.payload)) {
    // The line may have been sent, and the platform does not show it yet.
    const settlement = seenTooEarly(attempt, times.lookAgain);
    if (settlement !== undefined) return settlement;
  }
  const made = await finish(work, appeared.id, appeared.payload);
  switch (made.status) {
    case 'applied':
      return made;
    case 'deferred':
      return { status: 'uncertain', until: made.until };
    case 'rejected':
      return { status: 'held', reason: `${command.platform} has created it, and then: ${made.reason}` };
    default:
      return { status: 'uncertain' };
  }
}

/** Whether the first line of a contract is missing. A second line would double the amount. */
function lacksFirstLine({ command }: WriteContext, payload: JsonObject): boolean {
  const lines = ownMember(payload, 'line_items');
  const isEmpty = !isJsonArray(lines) || lines.length === 0;
  const open = openChanges(command.entityType, command.changes, payload);
  return command.entityType === 'contract' && isEmpty && open.some(({ path }) => path[0] === 'grand_total');
}
