import type { JsonObject, JsonValue, NativeChange } from '@app/mapper';
import type { WriteCommand, WriteOutcome } from '../../connector';
import {
  WriteSteps,
  type AcceptedCall,
  type Candidate,
  type Comparison,
  type ExistingRecord,
  type Round,
  type ShownEffect,
  type UnshownUpdate,
  type UpdateCall,
} from '../../live/writing/write-steps';
import { compareFields, hasWantedValue, textIn } from '../pages/compare-fields';
import { documentPage, linesIn } from '../pages/pages';
import { readRecord } from '../reading/read-record';
import { changesMadeBy, isMade, isShownUnchanged } from './call-effect';
import { candidatesFor } from './candidates';
import { changesNotShown, changesShownSince } from './changes-shown';
import { changesShownOtherwise } from './changes-shown-otherwise';
import { creationCall } from './create-record';
import { notesFor, readNotes, storedNotes, type CreationNotes } from './creation-notes';
import { currencyRefusal } from './payment-page';
import { mayBePosted } from './posted-journal';
import { goneReason, otherValuesReason } from './reasons';
import { isOlder, versionIn } from './record-version';
import { refusalOf } from './refusals';
import { retryTime } from './retry-time';
import { callFor } from './update-call';
import type { WriteContext } from './write-context';

/** The pauses of a write, in milliseconds. */
export interface WritePauses {
  /** Before each further read of a record that still shows the old state. */
  readonly rereads: readonly number[];
  /** The looks for the effect of an attempt, after its end. */
  readonly lags: readonly number[];
}

/**
 * How platform_b takes a write: against the version just read, in one call at a time, and a new document with its line.
 * A record that it does not show is gone; a version that a call has replaced is late.
 */
export class PlatformBWriteSteps extends WriteSteps {
  override readonly command: WriteCommand;
  override readonly words;
  override readonly rereadPauses: readonly number[];
  override readonly settlingDelays: readonly number[];
  // The platform states itself that a record does not exist.
  override readonly delaysWhenGone: readonly number[] = [];

  /** Versions that a call of this write has replaced or that the platform reports as stale. */
  private readonly replaced = new Set<string>();
  /** The notes of this attempt, where it has taken none before. */
  private ownNotes: CreationNotes | undefined;

  /** @param sleep waits, in milliseconds */
  constructor(
    private readonly work: WriteContext,
    { rereads, lags }: WritePauses,
    private readonly sleep: (ms: number) => Promise<void>,
  ) {
    super();
    this.command = work.command;
    this.rereadPauses = rereads;
    this.settlingDelays = lags;
    const gone = goneReason(work.command.entityType);
    this.words = {
      gone,
      createdIsGone: gone,
      severalCandidates: (ids: readonly string[]) =>
        `${ids.length} records came up that could be the one: ${ids.slice(0, 5).join(', ')}`,
      unlikeCandidate: (id: string, fields: string) =>
        `a new record came up that could be the one: ${id} has another ${fields}`,
    };
  }

  override pause(ms: number): Promise<void> {
    return this.sleep(ms);
  }

  override retryTime(): Date {
    return retryTime(this.work.now());
  }

  override read(id: string): Promise<JsonObject | undefined> {
    const { session, command, signal } = this.work;
    return readRecord(session, command.entityType, id, signal);
  }

  override isOutdated(record: JsonObject, before: JsonObject | undefined): boolean {
    const { entityType, changes } = this.command;
    return isOlder(record, before) && compareFields(entityType, changes, before, record).clashes.length > 0;
  }

  override isReplaced(record: JsonObject): boolean {
    return this.replaced.has(versionIn(this.command.entityType, record));
  }

  override async compare(
    changes: readonly NativeChange[],
    record: JsonObject,
    before: JsonObject | undefined,
  ): Promise<Comparison> {
    const open = await this.notShown(changes, record);
    return { ...compareFields(this.command.entityType, open, before, record), hidden: [], created: [] };
  }

  override shownSince(
    before: JsonObject | undefined,
    open: readonly NativeChange[],
  ): Promise<readonly NativeChange[]> {
    const { session, command, signal } = this.work;
    return changesShownSince(session, command, before, open, signal);
  }

  override async notes(earlier: JsonValue | undefined): Promise<JsonValue> {
    const { session, command, signal } = this.work;
    const notes = await notesFor(session, command, signal);
    return storedNotes(earlier === undefined ? notes : { ...notes, ids: readNotes(earlier).ids });
  }

  override async creation(notes: JsonValue | undefined): ReturnType<typeof creationCall> {
    const { session, command, signal } = this.work;
    if (notes !== undefined) return creationCall(this.work, readNotes(notes));
    this.ownNotes = await notesFor(session, command, signal);
    return creationCall(this.work, this.ownNotes);
  }

  override idIn(body: JsonObject): string | undefined {
    const id = textIn(body, 'id');
    return id === '' ? undefined : id;
  }

  /** A new record is not told what is to be blank. */
  override changesWhenCreated(): readonly NativeChange[] {
    return this.command.changes.filter(({ value }) => value !== null);
  }

  override refusalOf(changes: readonly NativeChange[], record: JsonObject): string | undefined {
    const { session, command } = this.work;
    return (
      refusalOf({ ...command, changes }, record) ??
      currencyRefusal(session.settings, command.entityType, changes)
    );
  }

  /** Where both parts of a document were stale together, the header alone may have renewed the line. */
  override updateCalls(
    existing: ExistingRecord,
    changes: readonly NativeChange[],
    isRepeated: boolean,
  ): Promise<readonly UpdateCall[]> {
    const call = callFor(this.work, existing, changes, isRepeated);
    const version = versionIn(this.command.entityType, existing.record);
    const send = async (): ReturnType<UpdateCall['send']> => {
      const sent = await call.send();
      // The two parts of a document may only have been stale for one another.
      if (sent.status === 'done' || (sent.status === 'stale' && !call.isBatch)) this.replaced.add(version);
      if (sent.status === 'duplicate') return { status: 'rejected', reason: sent.reason };
      return sent.status === 'gone' ? { status: 'stale' } : sent;
    };
    return Promise.resolve([{ changes: call.changes, mayBeKept: call.isBatch, send }]);
  }

  override confirmedBy({ call, answer }: AcceptedCall, { record }: ExistingRecord): readonly NativeChange[] {
    return call.changes.filter((change) => isMade(this.command.entityType, change, answer, record));
  }

  override expectedAfter({ existing, changes, accepted }: Round): JsonObject {
    return accepted.reduce((record, { answer }) => changesMadeBy(changes, record, answer), existing.record);
  }

  override async isLate({ existing, changes, accepted }: Round, record: JsonObject): Promise<boolean> {
    const { entityType } = this.command;
    const isAnyLate = accepted.some(({ answer }) => !isShownUnchanged(entityType, existing.record, answer));
    if (!isAnyLate) return false;
    if (accepted.some(({ answer }) => isOlder(record, answer.body))) return true;
    return this.isReplaced(record) && (await this.notShown(changes, record)).length > 0;
  }

  override async effectShown(round: Round, record: JsonObject): Promise<ShownEffect> {
    const { entityType } = this.command;
    const { changes, wanted, accepted } = round;
    const expected = this.expectedAfter(round);
    const missing = await this.notShown(wanted, record);
    const isOwn = (change: NativeChange): boolean => changes.includes(change);
    const wasMade = (change: NativeChange): boolean =>
      isOwn(change)
        ? accepted.some(({ answer }) => isMade(entityType, change, answer, record))
        : hasWantedValue(entityType, change, expected);
    const refused = missing.filter((change) => isOwn(change) && !wasMade(change));
    return {
      made: changes.filter((change) => !missing.includes(change)),
      unseen: [],
      replaced: missing.filter(wasMade),
      refused,
      reason: otherValuesReason(refused, record),
    };
  }

  /** The platform's code may commit within a batch, so a part of a refused batch may have been applied. */
  override async afterRefusal(
    existing: ExistingRecord,
    call: UpdateCall | undefined,
    left: readonly NativeChange[],
  ): ReturnType<WriteSteps['afterRefusal']> {
    if (call?.mayBeKept !== true) return { record: existing.record, kept: [] };
    const record = await this.read(existing.id);
    if (record === undefined) return { record, kept: [] };
    const missing = await this.notShown(left, record);
    return { record, kept: left.filter((change) => !missing.includes(change)) };
  }

  override async candidates(notes: JsonValue | undefined): Promise<readonly Candidate[]> {
    const { session, command, signal } = this.work;
    const ids = await candidatesFor(session, command, this.ownNotes ?? readNotes(notes), signal);
    return ids.map((id) => ({ id }));
  }

  override shownOtherwise(record: JsonObject): Promise<readonly NativeChange[]> {
    const { session, command, signal } = this.work;
    return changesShownOtherwise(session, command, record, signal);
  }

  override async whyUnprovable(notes: JsonValue | undefined): Promise<string | undefined> {
    const { payment } = readNotes(notes);
    return payment && mayBePosted(this.work, payment);
  }

  override lacksLine(record: JsonObject): boolean {
    const { entityType, changes } = this.command;
    const total = documentPage(entityType)?.total;
    return (
      total !== undefined &&
      linesIn(entityType, record).length === 0 &&
      changes.some(({ path, value }) => path[0] === total && value !== null)
    );
  }

  override nextLook(_unfinished: WriteOutcome, until: Date | undefined): Date | undefined {
    return until;
  }

  /**
   * A repeated change names the version just read. If the first request is still on its way, one of the two finds another
   * version and does nothing. A record older than the one that the change was planned for is certainly late.
   */
  override settleUnshown(
    { clashes }: Comparison,
    record: JsonObject,
    before: JsonObject | undefined,
  ): UnshownUpdate {
    const isLate = clashes.length > 0 && isOlder(record, before);
    if (isLate) return { status: 'missing', delays: this.settlingDelays };
    return { status: 'missing', delays: clashes.length > 0 ? [] : this.settlingDelays.slice(0, 1) };
  }

  private notShown(changes: readonly NativeChange[], record: JsonObject): Promise<readonly NativeChange[]> {
    const { session, command, signal } = this.work;
    return changesNotShown(session, command.entityType, changes, record, signal);
  }
}
