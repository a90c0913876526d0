import {
  decimalIn,
  isJsonArray,
  isJsonObject,
  negated,
  ownMember,
  plus,
  valueAt,
  withValuesAt,
  type JsonObject,
  type JsonValue,
  type NativeChange,
} from '@app/mapper';
import type { Settlement } from '../../connector';
import type {
  Candidate,
  Comparison,
  ExistingRecord,
  NoCall,
  UnshownUpdate,
  UpdateCall,
  WriteSteps,
} from '../../live/writing/write-steps';
import { invoiceRow } from '../reading/find-record';
import type { Parents } from '../reading/parents-cache';
import { idText } from '../wire/ids';
import { ListChanged, NotReadable, ownRefusal } from '../wire/read-page';
import { changesNotShown, changesShownSince } from './fields/changes-shown';
import { changesShownOtherwise } from './calls/changes-shown-otherwise';
import { confirmedChanges } from './fields/confirmed-changes';
import { creationCall } from './calls/create';
import { placeOf, type WritePlace } from './fields/fields';
import { onlyTimeMoved } from './calls/moved-time';
import { idsInNarrowestLists, newRecordsSince, notedIds, notesOf } from './calls/new-records';
import { orUndefinedDuringOutage } from './refusals/outage';
import { isShownLate, otherValuesReason, wasMade } from './calls/read-back';
import { RECORD_IS_GONE, sendWrite } from './calls/send';
import { callsFor } from './calls/update-calls';
import { changedByOthers, openChanges, sameValue, unshownChanges } from './fields/values';
import { vendorInProject } from './calls/vendor-in-project';
import { parentsOf, readCurrent, type WriteContext } from './write-context';

/**
 * How platform_a takes a command: without versions, in several calls, and with fields that no record shows. It shows
 * writes late, so a record that is not seen proves nothing.
 *
 * @param cached the parents of the command's record by an earlier reading
 * @param pause waits, in milliseconds
 */
export function writeStepsOfA(
  work: WriteContext,
  cached: Parents | undefined,
  pause: (ms: number) => Promise<void>,
): WriteSteps {
  const { command, session, times } = work;
  const { entityType, platform } = command;
  const isNew = command.platformId === null;
  const readIn = async (id: string, parents: Parents | undefined): Promise<JsonObject | undefined> => {
    for (const ms of times.readBack) {
      try {
        return await readCurrent(work, id, parents);
      } catch (error) {
        if (!(error instanceof ListChanged)) throw error;
        await pause(ms);
      }
    }
    // A list may never be whole: the platform counts rows that the account does not see. Then the record is not seen either.
    return whatIsSeen(readCurrent(work, id, parents));
  };
  const read = (id: string, known: JsonObject | undefined): Promise<JsonObject | undefined> =>
    readIn(id, parentsOf(command, known));
  /** Whether the creating call sets a field that no record shows. */
  const isSetAtOnce = (change: NativeChange): boolean =>
    isNew && placeOf(entityType, change, true).kind === 'header';
  return {
    command,
    words: {
      gone: RECORD_IS_GONE,
      createdIsGone: 'it is not there any more, or not to be seen',
      severalCandidates: (ids) => `${platform} has several new records that could be it: ${ids.join(', ')}`,
      unlikeCandidate: (id, fields) =>
        `${platform} has a new record that could be it: ${id} has another ${fields}; ` +
        'nobody can tell whether the change was made before',
      otherValues: (changes, record) => otherValuesReason(platform, record, changes),
    },
    rereadPauses: times.readBack,
    settlingDelays: times.lookAgain,
    delaysWhenGone: times.lookAgain.slice(0, 1),
    pause,
    retryTime: () => session.after(times.retry),

    read,
    readForUpdate: (id, before) => readIn(id, parentsOf(command, before) ?? cached),
    isOutdated: (record) => isOfItem(work, command.changes) && showsTwoStates(record),
    readBack: async (id, known) => (await orUndefinedDuringOutage(read(id, known))) ?? 'unseen',

    notShown: (changes, record) => changesNotShown(work, record, changes),
    hidden: (changes, record) =>
      unshownChanges(entityType, changes, record).filter((change) => !isSetAtOnce(change)),
    hiddenWhenCreated: (record) => unshownChanges(entityType, command.changes, record).filter(isSetAtOnce),
    clashes: (open, record, before) => changedByOthers(command, open, record, before),
    shownSince: (before, open) => changesShownSince(work, before, open),

    notes: (earlier) => notesFor(work, earlier),
    creation: async (notes) => {
      if (notedIds(notes) !== undefined) return creationCall(work);
      const reason = `${platform} does not let the list be read in which it would appear`;
      return { status: 'rejected', reason };
    },
    idIn: (body) => idText(ownMember(body, 'id')),

    // The platform stored another value for a field that only a creation can set.
    refusalOf: (changes, record) => {
      if (!isNew) return undefined;
      const fixed = changes.filter((change) => placeOf(entityType, change, false).kind === 'unwritable');
      return fixed.length === 0 ? undefined : otherValuesReason(platform, record, fixed);
    },
    updateCalls: (existing, changes) => updateCalls(work, existing, changes),
    confirmedBy: ({ call, answer }, record) =>
      confirmedChanges(entityType, call.changes, record, answer.body),
    expectedAfter: ({ record, changes }) => withValuesAt(record, changes),
    isLate: (round, record) => isShownLate(work, round, record),
    wasMade: (round, change, record) => wasMade(work, round, change, record),
    readRefused: ({ id, record }) => orUndefinedDuringOutage(read(id, record)),

    settleUnshown: (comparison, record, before) => settleUnshown(work, comparison, record, before),
    candidates: (notes, withEdited) => candidates(work, notes, withEdited),
    shownOtherwise: (record) => changesShownOtherwise(work, record),
    lacksLine: (record) => lacksFirstLine(work, record) || lacksAmount(work, record),
    nextLook: (unfinished) => ('until' in unfinished ? unfinished.until : undefined),
  };
}

async function whatIsSeen(reading: Promise<JsonObject | undefined>): Promise<JsonObject | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ListChanged) return undefined;
    throw error;
  }
}

async function notesFor(work: WriteContext, earlier: JsonValue | undefined): Promise<JsonValue> {
  if (earlier !== undefined && notedIds(earlier) !== undefined) return earlier;
  try {
    return notesOf(await idsInNarrowestLists(work));
  } catch (error) {
    // If the list may not be read, the record may not be written either. `creation` reports that.
    ownRefusal(error);
    return null;
  }
}

async function candidates(
  work: WriteContext,
  notes: JsonValue | undefined,
  withEdited: boolean,
): Promise<readonly Candidate[] | Settlement> {
  const noted = notedIds(notes);
  if (noted === undefined) {
    return { status: 'held', reason: `nobody noted what ${work.command.platform} had before` };
  }
  try {
    const found = await newRecordsSince(work, noted.ids, withEdited);
    const isOld = !('status' in found) && found.length > 0 && !noted.whole;
    // A record that the list did not show before may have been there all the same.
    return isOld ? { status: 'held', reason: mayBeOld(work, found) } : found;
  } catch (error) {
    if (!(error instanceof NotReadable)) throw error;
    // A list, or a new record, that cannot be read proves nothing.
    return { status: 'uncertain', until: work.session.after(work.times.refused) };
  }
}

function mayBeOld({ command: { platform } }: WriteContext, found: readonly Candidate[]): string {
  const ids = found.map(({ id }) => id).join(', ');
  return `${platform} has a record that could be it: ${ids}; the list did not show all records before the change was made`;
}

async function updateCalls(
  work: WriteContext,
  { id, record }: ExistingRecord,
  changes: readonly NativeChange[],
): Promise<readonly UpdateCall[] | NoCall> {
  const { session, command, times } = work;
  const { entityType, variant, platform } = command;
  const parents = parentsOf(command, record);
  const vendor = await vendorInProject(work, parents?.project, changes);
  if (vendor.status !== 'found') return vendor;
  const existing = { entityType, variant, parents, id, current: record };
  if (isOfItem(work, changes) && (await isOvertaken(work, { id, record }, parents?.project))) {
    const reason = `${platform} changed the invoice while it was read`;
    return { status: 'deferred', until: session.after(0), reason };
  }
  const planned = callsFor(session, existing, changes, vendor.id);
  if (planned.status === 'rejected') return planned;
  return planned.calls.map(({ call, changes: written }) => ({
    changes: written,
    needsResponse: unshownChanges(entityType, written, record).length > 0,
    send: async () => {
      const sent = await sendWrite(session, call, times);
      return sent.status === 'duplicate' ? { ...sent, status: 'rejected' as const } : sent;
    },
  }));
}

/**
 * Whether the amount of an invoice has changed since it was read. The value of an item is computed from the invoice and
 * from its items, which are read after it. Computed from two states of the invoice, it would be wrong for both.
 *
 * @throws PlatformError
 */
async function isOvertaken(
  { session, command }: WriteContext,
  { id, record }: ExistingRecord,
  project = '',
): Promise<boolean> {
  const due = ['summary', 'current_payment_due'];
  try {
    const row = await invoiceRow(session, project, { platformId: id });
    return !sameValue(command.entityType, due, row && valueAt(row, due), valueAt(record, due));
  } catch (error) {
    if (error instanceof NotReadable) return true;
    throw error;
  }
}

/**
 * A change that is repeated before the platform shows it may overwrite what another user has entered since, would add the
 * first line of a contract twice, and the item of an invoice's amount would be computed of two states. So the platform has
 * all of its time to show it. For hidden fields, only the record's modification time proves that the change was made, and
 * only if nothing else explains it. Sending them again is harmless, as no record shows them.
 */
function settleUnshown(
  work: WriteContext,
  { open, hidden }: Comparison,
  record: JsonObject,
  before: JsonObject | undefined,
): UnshownUpdate {
  const { lookAgain } = work.times;
  if (open.length === 0) {
    const isMade = before === undefined || hidden.every((one) => isShownMade(work, one, record, before));
    return isMade ? { status: 'made' } : { status: 'missing', delays: lookAgain.slice(0, 1) };
  }
  // A call that writes only fields that no record shows moves the time as well.
  const hasCallOfItsOwn = (one: NativeChange): boolean =>
    open.every((other) => callKind(work, other) !== callKind(work, one));
  const isSetBack = before !== undefined && !hidden.some(hasCallOfItsOwn) && onlyTimeMoved(before, record);
  return {
    status: 'missing',
    delays: lookAgain,
    doubt: isSetBack
      ? 'it was changed since, and shows nothing else than before: another user may have set it back'
      : undefined,
  };
}

/**
 * Whether the call of a field that no record shows was made: the record shows a change of the same call that it did not show
 * before, or only its modification time has moved. The due date of an invoice may not move that time.
 */
function isShownMade(
  work: WriteContext,
  hidden: NativeChange,
  record: JsonObject,
  before: JsonObject,
): boolean {
  const { entityType, changes } = work.command;
  const shows = (state: JsonObject, { path, value }: NativeChange): boolean =>
    sameValue(entityType, path, valueAt(state, path), value);
  const isOfSameCall = changes.some(
    (one) =>
      // An inactive vendor is brought back by a call of its own.
      one.path[0] !== 'is_active' &&
      callKind(work, one) === callKind(work, hidden) &&
      shows(record, one) &&
      !shows(before, one),
  );
  return isOfSameCall || (hidden.path.join('.') !== 'due_date' && onlyTimeMoved(before, record));
}

/** Whether changes contain the amount of an invoice. */
function isOfItem({ command: { entityType } }: WriteContext, changes: readonly NativeChange[]): boolean {
  return (
    entityType === 'invoice' && changes.some((change) => placeOf(entityType, change, false).kind === 'amount')
  );
}

/** Changes of the same kind go in one call. */
function callKind({ command: { entityType } }: WriteContext, change: NativeChange): WritePlace['kind'] {
  const { kind } = placeOf(entityType, change, false);
  return kind === 'vendor' ? 'header' : kind;
}

/**
 * Whether an invoice and its one item are of two states: the platform shows the one later than the other. Where they never agree,
 * the amount is written as it would be without this look.
 */
function showsTwoStates(record: JsonObject): boolean {
  const items = ownMember(record, 'items');
  const [item, second] = isJsonArray(items) ? items : [];
  if (item === undefined || second !== undefined || !isJsonObject(item)) return false;
  const ofItem = decimalIn(ownMember(item, TO_DATE));
  const ofInvoice = decimalIn(valueAt(record, ['summary', TO_DATE]));
  if (ofItem === undefined || ofInvoice === undefined) return false;
  return plus(ofItem, negated(ofInvoice)).units !== 0n;
}

const TO_DATE = 'total_completed_and_stored_to_date';

/** Whether the amount of an invoice is missing, which is a call of its own and computed from what the invoice shows. */
function lacksAmount(work: WriteContext, record: JsonObject): boolean {
  const { entityType, changes } = work.command;
  return entityType === 'invoice' && isOfItem(work, openChanges(entityType, changes, record));
}

/** Whether the first line of a contract is missing, which is a call of its own. */
function lacksFirstLine({ command: { entityType, changes } }: WriteContext, record: JsonObject): boolean {
  const lines = ownMember(record, 'line_items');
  const isEmpty = !isJsonArray(lines) || lines.length === 0;
  const open = openChanges(entityType, changes, record);
  return entityType === 'contract' && isEmpty && open.some(({ path }) => path[0] === 'grand_total');
}
