import type { JsonObject, JsonValue, NativeChange } from '@app/mapper';
import type { Settlement, WriteCommand, WriteOutcome } from '../../connector';
import type { CallResult, CreationResult, Done, UpdateResult } from './send-result';

type Changes = readonly NativeChange[];
type Eventually<Value> = Value | Promise<Value>;

/** Why there is no call to send. */
export type NoCall = Exclude<CallResult, Done>;

/** A record that exists at the platform. */
export interface ExistingRecord {
  readonly id: string;
  readonly record: JsonObject;
}

/** The changes that are not made as far as a record shows, by what follows from that. */
export interface Comparison {
  /** The record shows another value. */
  readonly open: Changes;
  /** Those of the open changes that clash: another user has given the field its value since the change was planned. */
  readonly clashes: Changes;
  /** No record shows the field, so the change is sent whatever the record shows. */
  readonly hidden: Changes;
}

/** A record that a creation without an answer may have made. */
export interface Candidate {
  readonly id: string;
  /** The record, where finding the candidate has read it. */
  readonly record?: JsonObject;
}

/** One writing call of an update. */
export interface UpdateCall {
  /** The changes that the call makes. */
  readonly changes: Changes;
  /** Whether only a readable response proves the call, because no record shows a field that it sets. */
  readonly needsResponse?: boolean;
  /** Whether the platform may keep a part of the call although it refuses it. */
  readonly mayBeKept?: boolean;
  send(): Promise<UpdateResult>;
}

/** A call that the platform has accepted, and its response. */
export interface AcceptedCall {
  readonly call: UpdateCall;
  readonly answer: Done;
}

/** The accepted calls between two readings of a record. */
export interface Round {
  /** The record right before the calls. */
  readonly record: JsonObject;
  readonly accepted: readonly AcceptedCall[];
  /** The changes that the calls make. */
  readonly changes: Changes;
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
      readonly doubt?: string | undefined;
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
  /** The platform stored other values. */
  readonly otherValues: (changes: Changes, record: JsonObject) => string;
}

/**
 * The steps by which a live platform takes one command, and what its responses and records mean. `WriteEngine` decides
 * when each step is due and what the outcome is. A member that is optional is for platforms that are special in this
 * respect. Steps that read throw PlatformError, or an error that the connector's `failureOf` knows.
 */
export interface WriteSteps {
  /** The command as it is sent. */
  readonly command: WriteCommand;
  readonly words: WriteWords;
  /** Milliseconds before each further read of a record that does not show a write yet. */
  readonly rereadPauses: readonly number[];
  /** Milliseconds after an attempt at which to look for its effect. What does not show after the last did not happen. */
  readonly settlingDelays: readonly number[];
  /** The same for an update of a record that cannot be found. */
  readonly delaysWhenGone: readonly number[];
  /** Waits, in milliseconds. @throws the signal's reason when it aborts */
  pause(ms: number): Promise<void>;
  /** When a deferred write is sent again. */
  retryTime(): Date;

  // Look

  /** Reads a record; undefined if the account does not see it. @param known an earlier state, if there is one */
  read(id: string, known: JsonObject | undefined): Promise<JsonObject | undefined>;
  /** The first read of an update. */
  readForUpdate?(id: string, before: JsonObject | undefined): Promise<JsonObject | undefined>;
  /** Reads a record after a write: `unseen` if it is not shown and that does not prove that it is gone. */
  readBack?(id: string, known: JsonObject | undefined): Promise<JsonObject | 'unseen' | undefined>;
  /**
   * Whether a record is older than the one that the change was planned for, so that fields only seem to clash, or has parts of two
   * states.
   */
  isOutdated?(record: JsonObject, before: JsonObject | undefined): boolean;
  /** Whether a record has a version that is known to be replaced. */
  isReplaced?(record: JsonObject): boolean;

  // Compare

  /** The changes that a record does not show and should show. */
  notShown(changes: Changes, record: JsonObject): Eventually<Changes>;
  /** The changes that are to be sent although no record shows their fields. */
  hidden?(changes: Changes, record: JsonObject): Changes;
  /** Changes of fields that no record shows and that the creating call has set. */
  hiddenWhenCreated?(record: JsonObject): Changes;
  /** Changes of fields that had another value when the change was planned. */
  clashes(open: Changes, record: JsonObject, before: JsonObject): Changes;
  /** The changes of the command that a record shows now, without those in `open`, and did not show before. */
  shownSince(before: JsonObject, open: Changes): Eventually<Changes>;

  // Create

  /** The notes before a creation. @param earlier notes of an earlier attempt whose outcome is unknown */
  notes(earlier: JsonValue | undefined): Promise<JsonValue>;
  /** The call that creates the record. @param notes undefined if none were taken */
  creation(notes: JsonValue | undefined): Promise<(() => Promise<CreationResult>) | NoCall>;
  /** The ID in the response to a creation; undefined if it has none. */
  idIn(body: JsonObject): string | undefined;
  /** The changes that a complete new record shows; all of the command, if it is absent. */
  readonly changesWhenCreated?: Changes;

  // Update

  /** Why changes cannot be sent to a record, as far as it is known without a call. */
  refusalOf(changes: Changes, record: JsonObject): string | undefined;
  /**
   * The calls that make changes, in order. A platform with versions gives one call at a time: each call makes the version
   * stale.
   *
   * @param isRepeated whether a call of this update named a stale version
   */
  updateCalls(
    existing: ExistingRecord,
    changes: Changes,
    isRepeated: boolean,
  ): Eventually<readonly UpdateCall[] | NoCall>;
  /** The changes of a call that its response shows as made. @param record the record before the call */
  confirmedBy(accepted: AcceptedCall, record: JsonObject): Changes;
  /** The record as the calls have left it, by their responses. */
  expectedAfter(round: Round): JsonObject;
  /** Whether a record read back does not show the calls yet. */
  isLate(round: Round, record: JsonObject): Eventually<boolean>;
  /** Whether a call has made a change that the record does not show: another user has overwritten it since. */
  wasMade(round: Round, change: NativeChange, record: JsonObject): boolean;
  /** The record after a refusal. @param call undefined if the refusal came before any call */
  readRefused(existing: ExistingRecord, call: UpdateCall | undefined): Promise<JsonObject | undefined>;

  // Settle

  /** What a record proves of an update that it does not show whole. */
  settleUnshown(comparison: Comparison, record: JsonObject, before: JsonObject | undefined): UnshownUpdate;
  /**
   * The records that the command may have created since the notes; or a settlement if no reading can list them.
   *
   * @param withEdited whether to include records that another user may have edited since, so that they show a part of
   *   what identifies the command's record. `shownOtherwise` tells what they show instead
   */
  candidates(notes: JsonValue | undefined, withEdited: boolean): Promise<readonly Candidate[] | Settlement>;
  /** The fields that the creating call set and that a record shows with another value. */
  shownOtherwise(record: JsonObject): Eventually<Changes>;
  /** Why a creation may have happened although no record shows it; undefined if it certainly did not happen. */
  whyUnprovable?(notes: JsonValue | undefined): Promise<string | undefined>;
  /** Whether a line or an amount is missing that an earlier call may have sent. A second line would double the amount. */
  lacksLine(record: JsonObject): boolean;
  /** When to look again at a new record that is not complete. @param until the next settling time */
  nextLook(unfinished: WriteOutcome, until: Date | undefined): Date | undefined;
}
