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
 * Looks whether an update happened. What did not may be sent again at once: it sets values, and setting them twice is
 * the same, but for a first line of a contract, which would be a second one. Where somebody else has changed the same
 * fields since, or the record is gone, nobody can tell.
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
 * What no record shows is told by its time: a record that has not changed did not take it. When an invoice is due may not
 * change that time, and setting it twice is the same.
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
 * Looks for the record that a command may have created, and does what is missing of it: by its ID where the platform has said
 * it, else by what was noted before.
 *
 * @throws PlatformError
 */
export async function settleCreation(work: WriteContext, attempt: Attempt): Promise<Settlement> {
  const { command, times } = work;
  const id = attempt.made?.createdAs;
  if (id !== undefined) {
    const found = await readCurrent(work, id, parentsOf(command, undefined));
    // It was there. A second one would be one too many, whatever became of it.
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
    // Nothing follows from a list that may not be read.
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
  // The one that the command has created may still come, and this one is not to be written over.
  const shown = `${command.platform} has a new record that could be it: ${appeared.id} has another ${unlike.join(', ')}`;
  return notSeenYet(attempt, times.lookAgain, shown);
}

async function settleCreated(work: WriteContext, attempt: Attempt, appeared: NewRecord): Promise<Settlement> {
  const { command, times } = work;
  work.progress.noteCreated(appeared.id);
  if (lacksFirstLine(work, appeared.payload)) {
    // It may have been sent as well, and not be shown yet.
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

/** Whether what is missing is the first line of a contract: a second one would double the amount. */
function lacksFirstLine({ command }: WriteContext, payload: JsonObject): boolean {
  const lines = ownMember(payload, 'line_items');
  const isEmpty = !isJsonArray(lines) || lines.length === 0;
  const open = openChanges(command.entityType, command.changes, payload);
  return command.entityType === 'contract' && isEmpty && open.some(({ path }) => path[0] === 'grand_total');
}
