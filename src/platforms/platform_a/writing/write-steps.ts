import {
  isJsonArray,
  ownMember,
  sameJson,
  type JsonObject,
  type JsonValue,
  type NativeChange,
} from '@app/mapper';
import type { Settlement, WriteCommand, WriteOutcome } from '../../connector';
import {
  WriteSteps,
  type AcceptedCall,
  type Candidate,
  type Comparison,
  type ExistingRecord,
  type Round,
  type UnshownUpdate,
  type UpdateCall,
} from '../../live/writing/write-steps';
import type { Parents } from '../reading/parents-cache';
import { idText } from '../wire/ids';
import { NotReadable } from '../wire/read-page';
import { changesNotShown, changesShownSince } from './changes-shown';
import { changesShownOtherwise } from './changes-shown-otherwise';
import { confirmedChanges } from './confirmed-changes';
import { creationCall } from './create';
import { placeOf } from './fields';
import { onlyTimeMoved, timeOf } from './moved-time';
import { idsInNarrowestList, newRecordsSince, notedIds, notesOf } from './new-records';
import { orUndefinedDuringOutage } from './outage';
import { effectShown, isShownLate, otherValuesReason } from './read-back';
import { RECORD_IS_GONE, sendWrite } from './send';
import { callsFor } from './update-calls';
import { changedByOthers, openChanges, unshownChanges } from './values';
import { vendorInProject } from './vendor-in-project';
import { parentsOf, readCurrent, type WriteContext } from './write-context';

/**
 * How platform_a takes a write: without versions, in several calls, and with fields that no record shows. Records show a
 * write late, so a record that is not seen proves nothing.
 */
export class PlatformAWriteSteps extends WriteSteps {
  override readonly command: WriteCommand;
  override readonly rereadPauses: readonly number[];
  override readonly settlingDelays: readonly number[];
  override readonly words;

  private readonly isNew: boolean;

  /**
   * @param cached the record's parents by an earlier reading
   * @param sleep waits, in milliseconds
   */
  constructor(
    private readonly work: WriteContext,
    private readonly cached: Parents | undefined,
    private readonly sleep: (ms: number) => Promise<void>,
  ) {
    super();
    const { command, times } = work;
    const { platform } = command;
    this.command = command;
    this.isNew = command.platformId === null;
    this.rereadPauses = times.readBack;
    this.settlingDelays = times.lookAgain;
    this.words = {
      gone: RECORD_IS_GONE,
      createdIsGone: 'it is not there any more, or not to be seen',
      severalCandidates: (ids: readonly string[]) =>
        `${platform} has several new records that could be it: ${ids.join(', ')}`,
      unlikeCandidate: (id: string, fields: string) =>
        `${platform} has a new record that could be it: ${id} has another ${fields}; ` +
        'nobody can tell whether the change was made before',
    };
  }

  override get delaysWhenGone(): readonly number[] {
    return this.settlingDelays.slice(0, 1);
  }

  override pause(ms: number): Promise<void> {
    return this.sleep(ms);
  }

  override retryTime(): Date {
    return this.work.session.after(this.work.times.retry);
  }

  override read(id: string, known: JsonObject | undefined): Promise<JsonObject | undefined> {
    return readCurrent(this.work, id, parentsOf(this.command, known));
  }

  override readForUpdate(id: string, before: JsonObject | undefined): Promise<JsonObject | undefined> {
    return readCurrent(this.work, id, parentsOf(this.command, before) ?? this.cached);
  }

  override async readBack(id: string, known: JsonObject | undefined): Promise<JsonObject | 'unseen'> {
    return (await orUndefinedDuringOutage(this.read(id, known))) ?? 'unseen';
  }

  override compare(
    changes: readonly NativeChange[],
    record: JsonObject,
    before: JsonObject | undefined,
  ): Promise<Comparison> {
    const { entityType } = this.command;
    const open = changesNotShown(this.work, record, changes);
    const clashes = before === undefined ? [] : changedByOthers(this.command, open, record, before);
    const unshown = unshownChanges(entityType, changes, record);
    const created = unshown.filter(
      (change) => this.isNew && placeOf(entityType, change, true).kind === 'header',
    );
    return Promise.resolve({
      todo: open.filter((change) => !clashes.includes(change)),
      clashes,
      hidden: unshown.filter((change) => !created.includes(change)),
      created,
    });
  }

  override shownSince(
    before: JsonObject | undefined,
    open: readonly NativeChange[],
  ): Promise<readonly NativeChange[]> {
    return Promise.resolve(changesShownSince(this.work, before, open));
  }

  override async notes(earlier: JsonValue | undefined): Promise<JsonValue> {
    if (earlier !== undefined && notedIds(earlier) !== undefined) return earlier;
    try {
      return notesOf(await idsInNarrowestList(this.work));
    } catch (error) {
      // If the list may not be read, the record may not be written either. `creation` reports that.
      if (error instanceof NotReadable) return null;
      throw error;
    }
  }

  override creation(notes: JsonValue | undefined): ReturnType<typeof creationCall> {
    if (notedIds(notes) !== undefined) return creationCall(this.work);
    const reason = `${this.command.platform} does not let the list be read in which it would appear`;
    return Promise.resolve({ status: 'rejected', reason });
  }

  override idIn(body: JsonObject): string | undefined {
    return idText(ownMember(body, 'id'));
  }

  /** The platform stored another value for a field that only a creation can set. */
  override refusalOf(changes: readonly NativeChange[], record: JsonObject): string | undefined {
    const { platform, entityType } = this.command;
    if (!this.isNew) return undefined;
    const fixed = changes.filter((change) => placeOf(entityType, change, false).kind === 'unwritable');
    return fixed.length === 0 ? undefined : otherValuesReason(platform, record, fixed);
  }

  override async updateCalls(
    { id, record }: ExistingRecord,
    changes: readonly NativeChange[],
  ): ReturnType<WriteSteps['updateCalls']> {
    const { session, command, times } = this.work;
    const { entityType, variant } = command;
    const parents = parentsOf(command, record);
    const vendor = await vendorInProject(this.work, parents?.project, changes);
    if (vendor.status !== 'found') return vendor;
    const existing = { entityType, variant, parents, id, current: record };
    const planned = callsFor(session, existing, changes, vendor.id);
    if (planned.status === 'rejected') return planned;
    return planned.calls.map(({ call, changes: written }): UpdateCall => ({
      changes: written,
      send: () => sendWrite(session, call, times),
    }));
  }

  override confirmedBy({ call, answer }: AcceptedCall, { record }: ExistingRecord): readonly NativeChange[] {
    return confirmedChanges(this.command.entityType, call.changes, record, answer.body);
  }

  /** Nothing but a readable response proves that a call has set a field that no record shows. */
  override isProvable({ call, answer }: AcceptedCall, { record }: ExistingRecord): boolean {
    return (
      answer.body !== undefined || unshownChanges(this.command.entityType, call.changes, record).length === 0
    );
  }

  override isLate(round: Round, record: JsonObject): Promise<boolean> {
    return Promise.resolve(isShownLate(this.work, round, record));
  }

  override effectShown(round: Round, record: JsonObject): ReturnType<WriteSteps['effectShown']> {
    return Promise.resolve(effectShown(this.work, round, record));
  }

  override async afterRefusal({ id, record }: ExistingRecord): ReturnType<WriteSteps['afterRefusal']> {
    return { record: await orUndefinedDuringOutage(this.read(id, record)), kept: [] };
  }

  override async candidates(notes: JsonValue | undefined): Promise<readonly Candidate[] | Settlement> {
    const { command, session, times } = this.work;
    const noted = notedIds(notes);
    if (noted === undefined) {
      return { status: 'held', reason: `nobody noted what ${command.platform} had before` };
    }
    try {
      return await newRecordsSince(this.work, noted);
    } catch (error) {
      if (!(error instanceof NotReadable)) throw error;
      // A list that cannot be read proves nothing.
      return { status: 'uncertain', until: session.after(times.refused) };
    }
  }

  override shownOtherwise(record: JsonObject): Promise<readonly NativeChange[]> {
    return Promise.resolve(changesShownOtherwise(this.work, record));
  }

  /** The first line of a contract is a call of its own. */
  override lacksLine(record: JsonObject): boolean {
    const { entityType, changes } = this.command;
    const lines = ownMember(record, 'line_items');
    const isEmpty = !isJsonArray(lines) || lines.length === 0;
    const open = openChanges(entityType, changes, record);
    return entityType === 'contract' && isEmpty && open.some(({ path }) => path[0] === 'grand_total');
  }

  override nextLook(unfinished: WriteOutcome): Date | undefined {
    return unfinished.status === 'deferred' ? unfinished.until : undefined;
  }

  /**
   * A repeated change sets the same values, so one look is enough; except for the first line of a contract, which would
   * come twice. Of hidden fields, only the record's time of change proves anything. The due date of an invoice may not
   * move it; sending it again is harmless.
   */
  override settleUnshown(
    { todo, clashes, hidden }: Comparison,
    record: JsonObject,
    before: JsonObject | undefined,
  ): UnshownUpdate {
    const soon = this.settlingDelays.slice(0, 1);
    if (todo.length + clashes.length === 0) {
      const isOwnCall = hidden.some(({ path }) => path.join('.') === 'due_date');
      const isUnchanged = before !== undefined && sameJson(timeOf(before), timeOf(record));
      return isOwnCall || isUnchanged ? { status: 'missing', delays: soon } : { status: 'made' };
    }
    const delays = this.lacksLine(record) ? this.settlingDelays : soon;
    return hidden.length === 0 && before !== undefined && onlyTimeMoved(before, record)
      ? {
          status: 'missing',
          delays,
          doubt: 'it was changed since, and shows nothing else than before: somebody may have set it back',
        }
      : { status: 'missing', delays };
  }
}
