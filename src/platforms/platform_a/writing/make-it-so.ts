import { valueAt, type JsonObject, type NativeChange } from '@app/mapper';
import { clashWords } from '../../clash';
import { Parts } from '../../live/parts';
import { placeOf } from './fields';
import type { Made, There } from './made';
import { quietly } from './quietly';
import { madeOf, readBack } from './read-back';
import { shownAsMade } from './shown-as-made';
import { sendWrite, type Sent } from './send';
import { stepsFor } from './steps';
import { madeSince, openIn } from './still-open';
import { changedByOthers, unshownChanges } from './values';
import { vendorInProject } from './vendor-in-project';
import { lookAt, type Work } from './work';

/**
 * Makes a record show what a command wants. Fields that show it already are left alone, so that a command that comes
 * again does no more than is missing. Where the platform takes a part of it only, that part stands, and the rest is named.
 *
 * @param before the record that the change was made for: a field with another value by now is a conflict. Undefined for
 *   a record that the command has created
 */
export async function makeItSo(work: Work, there: There, before: JsonObject | undefined): Promise<Made> {
  const { command } = work;
  const { entityType, changes } = command;
  const { current } = there;
  const isNew = command.platformId === null;
  const parts = new Parts(changes, work.made, isNew);
  const open = openIn(work, current, changes);
  // What is never shown can only be said again; a new record was told, except for what takes a call of its own.
  const isTold = (change: NativeChange): boolean =>
    isNew && placeOf(entityType, change, true).kind === 'header';
  const hidden = unshownChanges(entityType, changes, current);
  parts.hide(hidden.filter(isTold));
  const unshown = hidden.filter((change) => !isTold(change));
  if (open.length === 0 && unshown.length === 0) return parts.end(current);
  const made = madeSince(work, before, open);
  parts.take(made);
  // What only a creation may say, the platform has said otherwise.
  const isFixed = (change: NativeChange): boolean => placeOf(entityType, change, false).kind === 'unwritable';
  if (isNew && open.some(isFixed)) {
    parts.refuse(open, madeOf(command.platform, current, open.filter(isFixed)));
    return parts.end(current);
  }
  const foreign = before === undefined ? [] : changedByOthers(command, open, current, before);
  if (foreign.length > 0 && !parts.hasTaken) return { status: 'conflict', current };
  const clashes = foreign.map(({ path, value }) => ({ path, theirs: valueAt(current, path), mine: value }));
  // That attempt may have made all of it, whatever it was written over with since.
  parts.refuse(foreign, clashWords(clashes), made.length > 0);
  const todo = [...open.filter((change) => !foreign.includes(change)), ...unshown];
  return todo.length === 0 ? parts.end(current) : carryOut(work, there, todo, parts);
}

async function carryOut(
  work: Work,
  there: There,
  todo: readonly NativeChange[],
  parts: Parts,
): Promise<Made> {
  const { done, answers, isTold, ended } = await sendSteps(work, there, todo);
  const made = { changes: todo.filter((change) => done.has(change)), answers };
  if (!isTold) return { status: 'uncertain' };
  if (ended === undefined) return readBack(work, there, made, parts);
  // What was taken before is seen again by whoever settles it.
  if (ended.status !== 'rejected') return answers.length > 0 ? { status: 'uncertain' } : ended;
  const found = await quietly(lookAt(work, there.id, there.parents));
  const isGone = ended.isGone && found === undefined;
  if (isGone && !parts.hasTaken && answers.length === 0) return { status: 'rejected', reason: ended.reason };
  const reason =
    ended.isGone && !isGone ? `${work.command.platform} does not have a part of it any more` : ended.reason;
  parts.refuse(
    todo.filter((change) => !done.has(change)),
    reason,
  );
  return answers.length > 0 && !isGone
    ? readBack(work, there, made, parts)
    : parts.end(found?.payload ?? there.current);
}

/** What was sent of a change: what the platform said that it did, and how it went on. */
interface SentSteps {
  readonly done: ReadonlySet<NativeChange>;
  /** Of the calls that were done; empty where the platform shows nothing of one. */
  readonly answers: readonly JsonObject[];
  /** Whether each call that may have set what no record shows has an answer that can be read: there is nothing else. */
  readonly isTold: boolean;
  /** Undefined where all were done. */
  readonly ended?: Exclude<Sent, { status: 'done' }>;
}

async function sendSteps(work: Work, there: There, changes: readonly NativeChange[]): Promise<SentSteps> {
  const { session, command, times } = work;
  const { entityType, variant } = command;
  const done = new Set<NativeChange>();
  const answers: JsonObject[] = [];
  let isTold = true;
  const vendor = await vendorInProject(work, there.parents?.project, changes);
  if (vendor.status !== 'found') return { done, answers, isTold, ended: vendor };
  const existing = { entityType, variant, ...there };
  const planned = stepsFor(session, existing, changes, vendor.id);
  if (planned.status === 'rejected') return { done, answers, isTold, ended: { ...planned, isGone: false } };
  for (const { call, changes: written } of planned.steps) {
    work.made.sends();
    const sent = await sendWrite(session, call, times);
    if (sent.status !== 'done') return { done, answers, isTold, ended: sent };
    answers.push(sent.body ?? {});
    work.made.take(shownAsMade(entityType, written, there.current, sent.body));
    if (sent.body === undefined && unshownChanges(entityType, written, there.current).length > 0)
      isTold = false;
    for (const change of written) done.add(change);
  }
  return { done, answers, isTold };
}
