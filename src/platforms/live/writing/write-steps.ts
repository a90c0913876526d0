import { withValuesAt, type JsonObject, type JsonValue, type NativeChange } from '@app/mapper';
import type { Settlement, WriteCommand, WriteOutcome } from '../../connector';
import type { CallResult, CreationResult, Done, UpdateResult } from './send-result';

/** A record that exists at the platform. */
export interface ExistingRecord {
  readonly id: string;
  readonly record: JsonObject;
}

/** Changes that a record does not show, by what follows from that. */
export interface Comparison {
  /** The record still has the value that the change was planned for. */
  readonly todo: readonly NativeChange[];
  /** Another user has given the field another value since the change was planned. */
  readonly clashes: readonly NativeChange[];
  /** No record shows the field, so the change is sent whatever the record shows. */
  readonly hidden: readonly NativeChange[];
  /** No record shows the field, and the call that created the record has set it. */
  readonly created: readonly NativeChange[];
}

/** One writing call of an update. */
export interface UpdateCall {
  /** The changes that the call makes. */
  readonly changes: readonly NativeChange[];
  /** Whether the platform may keep a part of the call although it refuses it. */
  readonly mayBeKept?: boolean;
  send(): Promise<UpdateResult>;
}

/** A call that the platform has accepted, and its response. */
export interface AcceptedCall {
  readonly call: UpdateCall;
  readonly answer: Done;
}

/** The accepted calls of one round of an update, and the record right before them. */
export interface Round {
  readonly existing: ExistingRecord;
  readonly accepted: readonly AcceptedCall[];
  /** The changes that the accepted calls make. */
  readonly changes: readonly NativeChange[];
  /** All changes of the command that were not refused. */
  readonly wanted: readonly NativeChange[];
}

/** What a record shows of the accepted calls. The four lists contain each change of the round once at most. */
export interface ShownEffect {
  readonly made: readonly NativeChange[];
  /** Made, and no record shows the field. */
  readonly unseen: readonly NativeChange[];
  /** Made, and overwritten by another user since. */
  readonly replaced: readonly NativeChange[];
  /** The platform stored another value. */
  readonly refused: readonly NativeChange[];
  /** Why, for people. */
  readonly reason: string;
}

/** A record that a creation without an answer may have made. */
export interface Candidate {
  readonly id: string;
  /** The record, where finding the candidate has read it. */
  readonly record?: JsonObject;
}

/** What a record proves of an update that it does not show whole. */
export type UnshownUpdate =
  /** The update was made: the rest of it are fields that no record shows. */
  | { readonly status: 'made' }
  /** The platform may only be late, until the last of the delays (milliseconds after the end of the attempt). */
  | {
      readonly status: 'missing';
      readonly delays: readonly number[];
      /** Why nothing proves after that whether the update was made; undefined if it certainly was not. */
      readonly doubt?: string;
    };

/** The phrases of a platform for outcomes of the engine. */
export interface WriteWords {
  /** The record of an update cannot be found. */
  readonly gone: string;
  /** The record that the command has created cannot be found. */
  readonly createdIsGone: string;
  readonly severalCandidates: (ids: readonly string[]) => string;
  /** A candidate has other values in some fields. */
  readonly unlikeCandidate: (id: string, fields: string) => string;
}

/**
 * The steps by which a live platform takes one command, and what its responses and records mean. `WriteEngine` decides
 * when each step is due and what the outcome is. An instance serves one attempt.
 *
 * A method that reads throws `PlatformError`, or an error that the platform's `failureOf` knows, when the platform cannot
 * be read.
 */
export abstract class WriteSteps {
  /** The command as it is sent. */
  abstract readonly command: WriteCommand;

  abstract readonly words: WriteWords;

  /** Milliseconds before each further read of a record that does not show a write yet. */
  abstract readonly rereadPauses: readonly number[];

  /** Milliseconds after the end of an attempt at which to look for its effect. What does not show after the last did not happen. */
  abstract readonly settlingDelays: readonly number[];

  /** The same for an update of a record that cannot be found. */
  abstract readonly delaysWhenGone: readonly number[];

  /** Waits, in milliseconds. @throws the signal's reason when it aborts */
  abstract pause(ms: number): Promise<void>;

  /** When a deferred write is sent again. */
  abstract retryTime(): Date;

  // Looking at records

  /**
   * Reads a record; undefined if the account does not see it.
   *
   * @param known an earlier state of the record, if there is one
   */
  abstract read(id: string, known: JsonObject | undefined): Promise<JsonObject | undefined>;

  /** The first read of an update. */
  readForUpdate(id: string, before: JsonObject | undefined): Promise<JsonObject | undefined> {
    return this.read(id, before);
  }

  /** Reads a record after a write: `unseen` if it is not shown and that does not prove that it is gone. */
  readBack(id: string, known: JsonObject | undefined): Promise<JsonObject | 'unseen' | undefined> {
    return this.read(id, known);
  }

  /**
   * Whether a record shows a state before the one that the change was planned for, so that a field only seems to be
   * changed by another user.
   */
  isOutdated(_record: JsonObject, _before: JsonObject | undefined): boolean {
    return false;
  }

  /** Whether a record shows a version that is known to be replaced. */
  isReplaced(_record: JsonObject): boolean {
    return false;
  }

  // Comparing

  /**
   * Compares changes with a record.
   *
   * @param before the record that the changes were planned for; undefined if it is not known. Then nothing clashes
   */
  abstract compare(
    changes: readonly NativeChange[],
    record: JsonObject,
    before: JsonObject | undefined,
  ): Promise<Comparison>;

  /**
   * The changes of the command that the record shows now and did not show when they were planned: an earlier attempt
   * has most likely made them.
   *
   * @param open the changes that the record does not show
   */
  abstract shownSince(
    before: JsonObject | undefined,
    open: readonly NativeChange[],
  ): Promise<readonly NativeChange[]>;

  // Creating

  /** The notes before a creation. @param earlier notes of an earlier attempt whose outcome is unknown */
  abstract notes(earlier: JsonValue | undefined): Promise<JsonValue>;

  /** The call that creates the record, or why there is none. @param notes undefined if none were taken */
  abstract creation(
    notes: JsonValue | undefined,
  ): Promise<(() => Promise<CreationResult>) | Exclude<CallResult, Done>>;

  /** The ID in the response to a creation; undefined if it has none. */
  abstract idIn(body: JsonObject): string | undefined;

  /** The changes that a record shows when its creation is complete. */
  changesWhenCreated(): readonly NativeChange[] {
    return this.command.changes;
  }

  // Updating

  /** Why changes cannot be sent to a record, as far as it is known without a call. */
  abstract refusalOf(changes: readonly NativeChange[], record: JsonObject): string | undefined;

  /**
   * The calls that make changes, in order; or why there are none. A platform with versions plans one call at a time,
   * because each call makes the version stale.
   *
   * @param isRepeated whether a call of this update was refused because of a stale version
   */
  abstract updateCalls(
    existing: ExistingRecord,
    changes: readonly NativeChange[],
    isRepeated: boolean,
  ): Promise<readonly UpdateCall[] | Exclude<CallResult, Done>>;

  /** The changes of a call that its response shows as made. */
  abstract confirmedBy(accepted: AcceptedCall, existing: ExistingRecord): readonly NativeChange[];

  /** Whether a response or a later read can prove what the call did. */
  isProvable(_accepted: AcceptedCall, _existing: ExistingRecord): boolean {
    return true;
  }

  /** The record as the accepted calls have left it, by their responses. */
  expectedAfter({ existing, changes }: Round): JsonObject {
    return withValuesAt(existing.record, changes);
  }

  /** Whether a record read back does not show the accepted calls yet. */
  abstract isLate(round: Round, record: JsonObject): Promise<boolean>;

  /** What a record read back shows of the accepted calls. */
  abstract effectShown(round: Round, record: JsonObject): Promise<ShownEffect>;

  /**
   * The record after a refusal, undefined if it is not shown; and the changes that were made all the same.
   *
   * @param call undefined if the refusal came before any call
   * @param left the changes that no accepted call has made
   */
  afterRefusal(
    { record }: ExistingRecord,
    _call: UpdateCall | undefined,
    _left: readonly NativeChange[],
  ): Promise<{ readonly record: JsonObject | undefined; readonly kept: readonly NativeChange[] }> {
    return Promise.resolve({ record, kept: [] });
  }

  // Settling

  /** The records that the command may have created since the notes; or a settlement if no reading can list them. */
  abstract candidates(notes: JsonValue | undefined): Promise<readonly Candidate[] | Settlement>;

  /** The fields that the creating call set and that a record shows with another value. */
  abstract shownOtherwise(record: JsonObject): Promise<readonly NativeChange[]>;

  /** Why a creation may have happened although no record shows it; undefined if it certainly did not happen. */
  whyUnprovable(_notes: JsonValue | undefined): Promise<string | undefined> {
    return Promise.resolve(undefined);
  }

  /** Whether a line is missing that an earlier call may have sent. A second line would double the amount. */
  abstract lacksLine(record: JsonObject): boolean;

  /** When to look again at a record that the command has created and that is not complete. */
  abstract nextLook(unfinished: WriteOutcome, until: Date | undefined): Date | undefined;

  /** What a record proves of an update that it does not show whole. */
  abstract settleUnshown(
    comparison: Comparison,
    record: JsonObject,
    before: JsonObject | undefined,
  ): UnshownUpdate;
}
