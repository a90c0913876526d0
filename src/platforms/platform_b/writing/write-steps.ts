import type { JsonObject, NativeChange } from '@app/mapper';
import type { ExistingRecord, Round, UpdateCall, WriteSteps } from '../../live/writing/write-steps';
import { compareFields, textIn } from '../pages/compare-fields';
import { documentPage, linesIn } from '../pages/pages';
import { readRecord } from '../reading/read-record';
import { changesMadeBy, isMade, isShownUnchanged } from './calls/call-effect';
import { candidatesFor } from './calls/candidates';
import { changesNotShown, changesShownSince } from './fields/changes-shown';
import { changesShownOtherwise } from './fields/changes-shown-otherwise';
import { creationCall } from './calls/create-record';
import { notesFor, readNotes, storedNotes, type CreationNotes } from './calls/creation-notes';
import { currencyRefusal } from './fields/payment-page';
import { mayBePosted } from './calls/posted-journal';
import { goneReason, otherValuesReason } from './refusals/reasons';
import { isOlder, versionIn } from './fields/record-version';
import { refusalOf } from './refusals/refusals';
import { retryTime } from './calls/retry-time';
import { callFor } from './calls/update-call';
import type { WriteContext } from './write-context';

/** The waits of a write, in milliseconds. */
export interface WritePauses {
  /** Before each further read of a record that still shows the old state. */
  readonly rereads: readonly number[];
  /** From the end of an attempt to each look for a record that it may have created. */
  readonly creationLags: readonly number[];
  /** The same for a change of a record. */
  readonly lags: readonly number[];
  /** Waits. */
  readonly pause: (ms: number) => Promise<void>;
}

/**
 * How platform_b executes a command: against the version just read, in one call at a time, and a new document together
 * with its line. The platform reports that a record does not exist. A record with a version that a call has already
 * replaced is out of date.
 */
export function writeStepsOfB(
  work: WriteContext,
  { rereads, creationLags, lags, pause }: WritePauses,
): WriteSteps {
  const { session, command, signal, now } = work;
  const { entityType, changes: wanted } = command;
  /** Versions that a call of this write has replaced or that the platform reports as stale. */
  const replaced = new Set<string>();
  /** The notes of this attempt, if none were taken before. */
  let ownNotes: CreationNotes | undefined;
  const gone = goneReason(entityType);
  const read = (id: string): Promise<JsonObject | undefined> => readRecord(session, entityType, id, signal);
  const notShown = (changes: readonly NativeChange[], record: JsonObject) =>
    changesNotShown(session, entityType, changes, record, signal);
  const clashes = (open: readonly NativeChange[], record: JsonObject, before: JsonObject | undefined) =>
    compareFields(entityType, open, before, record).clashes;
  const isReplaced = (record: JsonObject): boolean => replaced.has(versionIn(entityType, record));
  const isMadeBy = ({ accepted }: Round, change: NativeChange, record: JsonObject): boolean =>
    accepted.some(({ answer }) => isMade(entityType, change, answer, record));
  /** Whether a document has no line, and changes give it one. */
  const lacksLineFor = (changes: readonly NativeChange[], record: JsonObject): boolean => {
    const total = documentPage(entityType)?.total;
    const isWanted = changes.some(({ path, value }) => path[0] === total && value !== null);
    return total !== undefined && linesIn(entityType, record).length === 0 && isWanted;
  };
  return {
    command,
    words: {
      gone,
      createdIsGone: gone,
      severalCandidates: (ids) =>
        `${ids.length} records came up that could be the one: ${ids.slice(0, 5).join(', ')}`,
      unlikeCandidate: (id, fields) =>
        `a new record came up that could be the one: ${id} has another ${fields}`,
      otherValues: otherValuesReason,
    },
    rereadPauses: rereads,
    settlingDelays: creationLags,
    delaysWhenGone: [],
    pause,
    retryTime: () => retryTime(now()),

    read,
    isOutdated: (record, before) => isOlder(record, before) && clashes(wanted, record, before).length > 0,
    isReplaced,

    notShown,
    clashes,
    shownSince: (before, open) => changesShownSince(session, command, before, open, signal),

    notes: async (earlier) => {
      const notes = await notesFor(session, command, signal);
      return storedNotes(earlier === undefined ? notes : { ...notes, ids: readNotes(earlier).ids });
    },
    creation: async (notes) => {
      if (notes !== undefined) return creationCall(work, readNotes(notes));
      ownNotes = await notesFor(session, command, signal);
      return creationCall(work, ownNotes);
    },
    idIn: (body) => textIn(body, 'id') || undefined,
    // Blank values are not sent to a new record.
    changesWhenCreated: wanted.filter(({ value }) => value !== null),

    refusalOf: (changes, record) =>
      refusalOf({ ...command, changes }, record) ?? currencyRefusal(session.settings, entityType, changes),
    // After a batch of header and line was stale, the two are sent apart: the header may have renewed the line.
    updateCalls: (existing, changes, isRepeated) => [
      updateCall(work, existing, changes, isRepeated, (version) => replaced.add(version)),
    ],
    confirmedBy: ({ call, answer }, record) =>
      call.changes.filter((change) => isMade(entityType, change, answer, record)),
    expectedAfter: ({ record, changes, accepted }) =>
      accepted.reduce((known, { answer }) => changesMadeBy(changes, known, answer), record),
    isLate: async ({ record: known, changes, accepted }, record) => {
      if (accepted.every(({ answer }) => isShownUnchanged(entityType, known, answer))) return false;
      if (accepted.some(({ answer }) => isOlder(record, answer.body))) return true;
      return isReplaced(record) && (await notShown(changes, record)).length > 0;
    },
    wasMade: isMadeBy,
    // The platform's code may commit within a batch, so a part of a refused batch may have been applied.
    readRefused: async ({ id, record }, call) => (call?.mayBeKept === true ? read(id) : record),

    // A repeated change names the version just read: if the first request is still on its way, one of the two finds another
    // version and does nothing. The first line of a document has no version: it would be added twice. A clash in a record
    // older than the one that the change was planned for is late.
    settleUnshown: ({ open, clashes: { length } }, record, before) => {
      if (length === 0) {
        const delays = lacksLineFor(open, record) ? creationLags : lags.slice(0, 1);
        return { status: 'missing', delays };
      }
      return { status: 'missing', delays: isOlder(record, before) ? lags : [] };
    },
    candidates: async (notes, withEdited) => {
      const own = ownNotes ?? readNotes(notes);
      const ids = await candidatesFor(session, command, own, withEdited, signal);
      return ids.map((id) => ({ id }));
    },
    shownOtherwise: (record) => changesShownOtherwise(session, command, record, signal),
    whyUnprovable: async (notes) => {
      const { payment } = readNotes(notes);
      return payment && mayBePosted(work, payment);
    },
    lacksLine: (record) => lacksLineFor(wanted, record),
    nextLook: (_unfinished, until) => until,
  };
}

/** @param noteReplaced notes a version that is no longer in force */
function updateCall(
  work: WriteContext,
  existing: ExistingRecord,
  changes: readonly NativeChange[],
  isRepeated: boolean,
  noteReplaced: (version: string) => void,
): UpdateCall {
  const call = callFor(work, existing, changes, isRepeated);
  return {
    changes: call.changes,
    mayBeKept: call.isBatch,
    send: async () => {
      const sent = await call.send();
      // A batch may be stale only because its header renews the line's version. Then the versions are still in force.
      if (sent.status === 'done' || (sent.status === 'stale' && !call.isBatch)) {
        noteReplaced(versionIn(work.command.entityType, existing.record));
      }
      if (sent.status === 'duplicate') return { status: 'rejected', reason: sent.reason };
      return sent.status === 'gone' ? { status: 'stale' } : sent;
    },
  };
}
