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
 * Sends the changes that a record does not show yet, reads the record back and returns the outcome. A repeated
 * command sends only what is missing. If the platform accepts a part of the changes, that part stays and the outcome
 * names the rest.
 *
 * @param before the record that the change was planned for. A field that has another value by now is a conflict.
 *   Undefined for a record that the command has created
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
  // The platform never returns some fields, so the command sends them again. A creation has already sent them, except
  // those that need a call of their own.
  const isTold = (change: NativeChange): boolean =>
    isNew && placeOf(entityType, change, true).kind === 'header';
  const hidden = unshownChanges(entityType, changes, current);
  outcomes.noteUnseen(hidden.filter(isTold));
  const unshown = hidden.filter((change) => !isTold(change));
  if (open.length === 0 && unshown.length === 0) return outcomes.writeOutcome(current);
  const made = changesShownSince(work, before, open);
  outcomes.noteMade(made);
  // The platform stored another value for a field that only a creation can set.
  const isFixed = (change: NativeChange): boolean => placeOf(entityType, change, false).kind === 'unwritable';
  if (isNew && open.some(isFixed)) {
    outcomes.noteRefused(open, otherValuesReason(command.platform, current, open.filter(isFixed)));
    return outcomes.writeOutcome(current);
  }
  const foreign = before === undefined ? [] : changedByOthers(command, open, current, before);
  if (foreign.length > 0 && !outcomes.hasMadeAny) return { status: 'conflict', current };
  const clashes = foreign.map(({ path, value }) => ({ path, theirs: valueAt(current, path), mine: value }));
  // An earlier attempt may have made these changes before another user overwrote them.
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
  // Settling will find the changes that the platform has already accepted.
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

/** The calls that were sent for a change, and their results. */
interface SentSteps {
  readonly done: ReadonlySet<NativeChange>;
  /** The responses of successful calls; an empty object if a response has no readable body. */
  readonly answers: readonly JsonObject[];
  /**
   * Whether every call that may have set a hidden field has a readable response. Nothing else proves that such a call
   * happened.
   */
  readonly isTold: boolean;
  /** The result of the first call that did not succeed; undefined if all succeeded. */
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
