import { valueAt, type JsonObject, type NativeChange } from '@app/mapper';
import { clashWords } from '../../clash';
import { ChangeOutcomes } from '../../live/change-outcomes';
import { placeOf } from './fields';
import type { WriteResult, ExistingRecord } from './write-result';
import { orUndefinedDuringOutage } from './outage';
import { otherValuesReason, readBack } from './read-back';
import { confirmedChanges } from './confirmed-changes';
import { sendWrite, type SendResult } from './send';
import { stepsFor } from './steps';
import { changesShownSince, changesNotShown } from './changes-shown';
import { changedByOthers, unshownChanges } from './values';
import { vendorInProject } from './vendor-in-project';
import { readCurrent, type WriteContext } from './write-context';

/**
 * Makes a record show what a command wants. Fields that show it already are left alone, so that a command that comes
 * again does no more than is missing. Where the platform takes a part of it only, that part stands, and the rest is named.
 *
 * @param before the record that the change was made for: a field with another value by now is a conflict. Undefined for
 *   a record that the command has created
 */
export async function updateRecord(
  work: WriteContext,
  record: ExistingRecord,
  before: JsonObject | undefined,
): Promise<WriteResult> {
  const { command } = work;
  const { entityType, changes } = command;
  const { current } = record;
  const isNew = command.platformId === null;
  const outcomes = new ChangeOutcomes(changes, work.progress, isNew);
  const open = changesNotShown(work, current, changes);
  // What is never shown can only be said again; a new record was told, except for what takes a call of its own.
  const isTold = (change: NativeChange): boolean =>
    isNew && placeOf(entityType, change, true).kind === 'header';
  const hidden = unshownChanges(entityType, changes, current);
  outcomes.noteUnseen(hidden.filter(isTold));
  const unshown = hidden.filter((change) => !isTold(change));
  if (open.length === 0 && unshown.length === 0) return outcomes.writeOutcome(current);
  const made = changesShownSince(work, before, open);
  outcomes.noteMade(made);
  // What only a creation may say, the platform has said otherwise.
  const isFixed = (change: NativeChange): boolean => placeOf(entityType, change, false).kind === 'unwritable';
  if (isNew && open.some(isFixed)) {
    outcomes.noteRefused(open, otherValuesReason(command.platform, current, open.filter(isFixed)));
    return outcomes.writeOutcome(current);
  }
  const foreign = before === undefined ? [] : changedByOthers(command, open, current, before);
  if (foreign.length > 0 && !outcomes.hasMadeAny) return { status: 'conflict', current };
  const clashes = foreign.map(({ path, value }) => ({ path, theirs: valueAt(current, path), mine: value }));
  // That attempt may have made all of it, whatever it was written over with since.
  outcomes.noteRefused(foreign, clashWords(clashes), made.length > 0);
  const todo = [...open.filter((change) => !foreign.includes(change)), ...unshown];
  return todo.length === 0 ? outcomes.writeOutcome(current) : sendChanges(work, record, todo, outcomes);
}

async function sendChanges(
  work: WriteContext,
  record: ExistingRecord,
  todo: readonly NativeChange[],
  outcomes: ChangeOutcomes,
): Promise<WriteResult> {
  const { done, answers, isTold, ended } = await sendSteps(work, record, todo);
  const made = { changes: todo.filter((change) => done.has(change)), answers };
  if (!isTold) return { status: 'uncertain' };
  if (ended === undefined) return readBack(work, record, made, outcomes);
  // What was taken before is seen again by whoever settles it.
  if (ended.status !== 'rejected') return answers.length > 0 ? { status: 'uncertain' } : ended;
  const found = await orUndefinedDuringOutage(readCurrent(work, record.id, record.parents));
  const isGone = ended.isGone && found === undefined;
  if (isGone && !outcomes.hasMadeAny && answers.length === 0)
    return { status: 'rejected', reason: ended.reason };
  const reason =
    ended.isGone && !isGone ? `${work.command.platform} does not have a part of it any more` : ended.reason;
  outcomes.noteRefused(
    todo.filter((change) => !done.has(change)),
    reason,
  );
  return answers.length > 0 && !isGone
    ? readBack(work, record, made, outcomes)
    : outcomes.writeOutcome(found?.payload ?? record.current);
}

/** What was sent of a change: what the platform said that it did, and how it went on. */
interface SentSteps {
  readonly done: ReadonlySet<NativeChange>;
  /** Of the calls that were done; empty where the platform shows nothing of one. */
  readonly answers: readonly JsonObject[];
  /** Whether each call that may have set what no record shows has an answer that can be read: there is nothing else. */
  readonly isTold: boolean;
  /** Undefined where all were done. */
  readonly ended?: Exclude<SendResult, { status: 'done' }>;
}

async function sendSteps(
  work: WriteContext,
  record: ExistingRecord,
  changes: readonly NativeChange[],
): Promise<SentSteps> {
  const { session, command, times } = work;
  const { entityType, variant } = command;
  const done = new Set<NativeChange>();
  const answers: JsonObject[] = [];
  let isTold = true;
  const vendor = await vendorInProject(work, record.parents?.project, changes);
  if (vendor.status !== 'found') return { done, answers, isTold, ended: vendor };
  const existing = { entityType, variant, ...record };
  const planned = stepsFor(session, existing, changes, vendor.id);
  if (planned.status === 'rejected') return { done, answers, isTold, ended: { ...planned, isGone: false } };
  for (const { call, changes: written } of planned.steps) {
    work.progress.noteCall();
    const sent = await sendWrite(session, call, times);
    if (sent.status !== 'done') return { done, answers, isTold, ended: sent };
    answers.push(sent.body ?? {});
    work.progress.noteChanges(confirmedChanges(entityType, written, record.current, sent.body));
    if (sent.body === undefined && unshownChanges(entityType, written, record.current).length > 0)
      isTold = false;
    for (const change of written) done.add(change);
  }
  return { done, answers, isTold };
}
