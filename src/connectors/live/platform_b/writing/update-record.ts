import {
  stringifyJson,
  valueAt,
  withValuesAt,
  type JsonObject,
  type JsonValue,
  type NativeChange,
} from '@app/mapper';
import type { WriteCommand, WriteOutcome } from '../../../connector';
import { recordUrl } from '../addresses';
import { decimalOf } from '../pages/field-kinds';
import { documentPage, pages } from '../pages/pages';
import { isAsWanted, standingOf, textIn } from '../pages/wanted';
import { readRecord } from '../reading/read-record';
import { bodyOf } from './bodies';
import { ZERO } from './decimals';
import { lineFor } from './only-line';
import { refusalOf } from './refusals';
import type { Sent } from './sent';
import { stillWanted } from './standing';
import { writeDocument } from './write-document';
import type { Writer } from './writer';

/** Versions that may come between, before somebody else is asked to compare anew. */
const MOST_STALE = 3;

/** A command for a record that is there. */
export type UpdateCommand = Pick<WriteCommand, 'entityType' | 'changes' | 'referred'> & {
  readonly platformId: string;
};

/**
 * Brings a record to what is wanted of it: reads it, sends what is missing for the version just read, and reads it back.
 * A write that comes again finds its fields as wanted, and does nothing.
 *
 * @param base the record that the change was made for; undefined where that is not known
 * @throws PlatformError
 */
export async function updateRecord(
  writer: Writer,
  command: UpdateCommand,
  base: JsonObject | undefined,
): Promise<WriteOutcome> {
  const { session, signal } = writer;
  const { entityType, platformId } = command;
  let before = base;
  let left = command.changes;
  const replaced: NativeChange[] = [];
  for (let stale = 0; ;) {
    const current = await readRecord(session, entityType, platformId, signal);
    if (current === undefined) return { status: 'rejected', reason: goneReason(entityType) };
    const open = await stillWanted(session, entityType, left, current, signal);
    const { todo, clashes } = standingOf(entityType, open, before, current);
    if (clashes.length > 0 || stale > MOST_STALE) return { status: 'conflict', current };
    if (todo.length === 0) return { status: 'applied', payload: current };
    const reason =
      refusalOf({ ...command, changes: todo }, current) ?? currencyRefusal(writer, command, todo);
    if (reason !== undefined) return { status: 'rejected', reason, current };
    // Where both parts of a document were stale together, the header alone may have renewed the line.
    const step = stepOf(command, todo, current, stale > 0);
    const sent = await step.send(writer);
    switch (sent.kind) {
      case 'stale':
        stale += 1;
        break;
      case 'gone':
        return { status: 'rejected', reason: goneReason(entityType) };
      case 'duplicate':
        return { status: 'rejected', reason: sent.reason, current };
      case 'ended':
        return sent.outcome.status === 'rejected' ? { ...sent.outcome, current } : sent.outcome;
      case 'done': {
        const after = await readRecord(session, entityType, platformId, signal);
        if (after === undefined) return { status: 'rejected', reason: goneReason(entityType) };
        const missing = await stillWanted(session, entityType, step.changes, after, signal);
        const made = missing.filter((change) => !showsWanted(sent.body, command, change));
        if (made.length > 0) return { status: 'rejected', reason: madeOf(made, after), current: after };
        replaced.push(...missing);
        left = left.filter((change) => !step.changes.includes(change));
        if (left.length === 0)
          return { status: 'applied', payload: after, ...(replaced.length > 0 && { replaced }) };
        before = after;
      }
    }
  }
}

interface Step {
  readonly changes: readonly NativeChange[];
  send(writer: Writer): Promise<Sent>;
}

/** The call that makes changes. @param apart a document's header before its line, each by itself */
function stepOf(
  { entityType, platformId }: UpdateCommand,
  todo: readonly NativeChange[],
  current: JsonObject,
  apart: boolean,
): Step {
  const page = documentPage(entityType);
  const total = page && todo.find(({ path }) => path.length === 1 && path[0] === page.total);
  const fields = todo.filter((change) => change !== total);
  if (page === undefined) {
    return {
      changes: todo,
      send: (writer) =>
        writer.send(
          'PATCH',
          recordUrl(writer.session.settings, entityType, platformId),
          bodyOf(pages[entityType], todo),
          { 'if-match': textIn(current, '@odata.etag') },
        ),
    };
  }
  const header = fields.length === 0 ? undefined : bodyOf(page, fields);
  const changed = withValuesAt(current, fields);
  const line =
    total === undefined || (apart && header !== undefined)
      ? undefined
      : lineFor(page, changed, decimalOf(total.value) ?? ZERO);
  if (line?.kind === 'refused') throw new Error('A line that is refused was not refused in advance');
  return {
    changes: line === undefined ? fields : todo,
    send: (writer) => writeDocument(writer, page, current, { header, line }),
  };
}

// A change of somebody else right behind ours does not undo that ours was made.
function showsWanted(
  shown: JsonObject | undefined,
  { entityType }: UpdateCommand,
  change: NativeChange,
): boolean {
  const total = documentPage(entityType)?.total;
  return shown !== undefined && change.path[0] !== total && isAsWanted(entityType, change, shown);
}

function currencyRefusal(
  { session: { settings } }: Writer,
  { entityType }: UpdateCommand,
  todo: readonly NativeChange[],
): string | undefined {
  if (entityType !== 'payment' || settings.payments_url !== undefined) return undefined;
  return todo.some(({ path }) => path[0] === 'currencyCode') ? NO_CURRENCY : undefined;
}

export const NO_CURRENCY =
  "the page of payments has no currency: a payment is in its invoice's, else in its customer's";

export function goneReason(entityType: WriteCommand['entityType']): string {
  const posted = entityType === 'payment' ? '; it may have been posted' : '';
  return `it is not there any more, or not to be seen${posted}`;
}

/** Fields that a reason names one by one. */
const MOST_NAMED = 10;

function madeOf(changes: readonly NativeChange[], record: JsonObject): string {
  const named = changes
    .slice(0, MOST_NAMED)
    .map(
      ({ path, value }) =>
        `platform_b made ${shown(valueAt(record, path))} of ${path.join('.')}, not ${shown(value)}`,
    );
  const more = changes.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function shown(value: JsonValue | undefined): string {
  const text = value === undefined ? 'nothing' : stringifyJson(value);
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
