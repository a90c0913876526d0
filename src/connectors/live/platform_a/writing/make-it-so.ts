import { stringifyJson, valueAt, type JsonObject, type JsonValue, type NativeChange } from '@app/mapper';
import type { Applied } from '../../../connector';
import type { Parents } from '../reading/whereabouts';
import { placeOf } from './fields';
import { quietly } from './quietly';
import { GONE, sendWrite, type Sent } from './send';
import { stepsFor } from './steps';
import { changedByOthers, openChanges, sameValue, unshownChanges } from './values';
import { vendorInProject } from './vendor-in-project';
import { lookAt, type Work } from './work';

/** What became of making a record what a command wants it to be. */
export type Made =
  | Applied
  | { readonly status: 'rejected'; readonly reason: string; readonly current?: JsonObject }
  | { readonly status: 'conflict'; readonly current: JsonObject }
  | { readonly status: 'deferred'; readonly until: Date; readonly reason: string }
  | { readonly status: 'uncertain' };

/** A record that is there. */
export interface There {
  readonly id: string;
  readonly parents: Parents | undefined;
  readonly current: JsonObject;
}

/**
 * Makes a record show what a command wants. Fields that show it already are left alone, so that a command that comes
 * again does no more than is missing.
 *
 * @param before the record that the change was made for: a field with another value by now is a conflict. Undefined for
 *   a record that the command has created
 */
export async function makeItSo(work: Work, there: There, before: JsonObject | undefined): Promise<Made> {
  const { command } = work;
  const { entityType, changes } = command;
  const isNew = command.platformId === null;
  const open = openChanges(entityType, changes, there.current).filter(
    (change) => !isCurrencyOfAll(work, there, change),
  );
  // What is never shown can only be said again; a new record was told, except for what takes a call of its own.
  const unshown = unshownChanges(entityType, changes, there.current).filter(
    (change) => !isNew || placeOf(entityType, change, true).kind !== 'header',
  );
  if (open.length === 0 && unshown.length === 0) return { status: 'applied', payload: there.current };
  // What only a creation may say, the platform has said otherwise.
  const isFixed = (change: NativeChange): boolean => placeOf(entityType, change, false).kind === 'unwritable';
  if (isNew && open.some(isFixed)) {
    const reason = madeOf(command.platform, there.current, open.filter(isFixed));
    return { status: 'rejected', reason, current: there.current };
  }
  if (before !== undefined && changedByOthers(command, open, there.current, before).length > 0) {
    return { status: 'conflict', current: there.current };
  }
  const sent = await sendSteps(work, there, [...open, ...unshown]);
  // Of what no record shows there is the answer alone.
  if (sent.status === 'done' && unshown.length > 0 && !sent.isAnswered) return { status: 'uncertain' };
  if (sent.status === 'done') return readBack(work, there, sent.answers);
  if (sent.status !== 'rejected') return sent;
  const { reason, isGone } = sent;
  if (isGone) return { status: 'rejected', reason };
  const current = await quietly(lookAt(work, there.id, there.parents));
  return { status: 'rejected', reason, ...(current && { current: current.payload }) };
}

type SentSteps =
  | Exclude<Sent, { status: 'done' }>
  | {
      readonly status: 'done';
      readonly answers: readonly JsonObject[];
      /** Whether each call that may set what no record shows has an answer that can be read. */
      readonly isAnswered: boolean;
    };

async function sendSteps(work: Work, there: There, changes: readonly NativeChange[]): Promise<SentSteps> {
  const { session, command, times } = work;
  const { entityType, variant } = command;
  const vendor = await vendorInProject(work, there.parents?.project, changes);
  if (vendor.status !== 'found') return vendor;
  const existing = { entityType, variant, ...there };
  const planned = stepsFor(session, existing, changes, vendor.id);
  if (planned.status === 'rejected') return { ...planned, isGone: false };
  const answers: JsonObject[] = [];
  let isAnswered = true;
  for (const { call } of planned.steps) {
    const sent = await sendWrite(session, call, times);
    if (sent.status !== 'done') return sent;
    if (sent.body !== undefined) answers.push(sent.body);
    // Lines and items are read again in any case.
    else if (!/\/(?:line_items|bulk_item_update)\b/.test(call.path)) isAnswered = false;
  }
  return { status: 'done', answers, isAnswered };
}

/**
 * Reads what the platform made of a change. A platform may show it late: where the record is as before, and the answers
 * do not say that it stays so, it is looked at again.
 */
async function readBack(work: Work, there: There, answers: readonly JsonObject[]): Promise<Made> {
  const { command, times, pause } = work;
  const { entityType, changes } = command;
  for (const wait of [0, ...times.readBack]) {
    if (wait > 0) await pause(wait);
    const found = await quietly(lookAt(work, there.id, there.parents));
    if (found === undefined) continue;
    const { payload } = found;
    const open = openChanges(entityType, changes, payload).filter(
      (change) => !isCurrencyOfAll(work, { ...there, current: payload }, change),
    );
    if (open.length === 0) return { status: 'applied', payload };
    const isOld = ({ path }: NativeChange): boolean =>
      sameValue(entityType, path, valueAt(payload, path), valueAt(there.current, path));
    const says = (shown: Shown, change: NativeChange): boolean =>
      answers.some((answer) => shownIn(work, answer, change) === shown);
    // A change of somebody else right behind ours does not undo that ours was made.
    const left = open.filter((change) => isOld(change) || !says('wanted', change));
    if (left.length === 0) return { status: 'applied', payload, replaced: open };
    if (left.some((change) => !isOld(change) || says('other', change))) {
      return { status: 'rejected', reason: madeOf(command.platform, payload, left), current: payload };
    }
  }
  // It said that it did it, and does not show it: whoever settles it looks longer.
  return { status: 'uncertain' };
}

type Shown = 'wanted' | 'other' | undefined;

/** What an answer shows of a field of the header: the wanted value, or another one. */
function shownIn({ command: { entityType } }: Work, answer: JsonObject, change: NativeChange): Shown {
  if (placeOf(entityType, change, false).kind !== 'header') return undefined;
  const shown = valueAt(answer, change.path);
  if (shown === undefined) return undefined;
  return sameValue(entityType, change.path, shown, change.value) ? 'wanted' : 'other';
}

/** Fields that a sentence names one by one. */
const MOST_NAMED = 10;

function madeOf(platform: string, payload: JsonObject, open: readonly NativeChange[]): string {
  const named = open
    .slice(0, MOST_NAMED)
    .map(({ path, value }) => `${path.join('.')} ${short(valueAt(payload, path))}, not ${short(value)}`);
  return `${platform} made ${named.join('; ')}`;
}

function short(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : stringifyJson(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** A contract of a company that has one currency shows none, nor do its invoices. */
function isCurrencyOfAll(
  { session, command }: Work,
  { current }: There,
  { path, value }: NativeChange,
): boolean {
  if (path.join('.') !== 'currency_configuration.currency_iso_code') return false;
  if (command.entityType !== 'contract' && command.entityType !== 'invoice') return false;
  const shown = valueAt(current, path) ?? null;
  return shown === null && (session.settings.currency === undefined || session.settings.currency === value);
}

/** Said of a command for a record that cannot be found. */
export const goneRecord: Extract<Made, { status: 'rejected' }> = {
  status: 'rejected',
  reason: `the record ${GONE}`,
};
