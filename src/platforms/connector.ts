import type { JsonObject, JsonValue, NativeChange, PlatformName, StoredEntityType } from '@app/mapper';
import type { ConnectionMode } from '../database/entities/connection-mode';
import type { Store } from '../database/transaction/store';
import type { RequestContext } from '../runtime/tracing/request-context';

export type { ConnectionMode };

/** Names the connection of a customer to one platform. */
export interface ConnectionName {
  readonly customerId: string;
  readonly platform: PlatformName;
  /** The request that the platform is called for: its ID and trace go along. Absent for work that is for none. */
  readonly cause?: RequestContext;
  /** The reading that the platform is called for, for the log. */
  readonly runId?: string;
  /** The write that the platform is called for, for the log. */
  readonly commandId?: string;
}

/** A customer's connection to one platform. */
export interface Connection extends ConnectionName {
  readonly mode: ConnectionMode;
}

/** What is known of a platform before any record is read. */
export interface PlatformFacts {
  /** ISO 4217: the currency of an amount whose record, contract and project name none. */
  readonly currency: string;
}

/** A record as a platform has it. */
export interface SourceRecord {
  readonly entityType: StoredEntityType;
  /** Which of the platform's resources holds it, where a type has several. */
  readonly variant: string | null;
  readonly payload: JsonObject;
}

/** What one reading covers: the records of one type. */
export interface ReadScope {
  readonly entityType: StoredEntityType;
  /**
   * The cursor of an earlier reading: only what may have changed since then is wanted. A connector that cannot tell reads
   * everything. Absent for a reading of the whole scope.
   */
  readonly since?: Checkpoint;
  /**
   * The cursor of the last reading, also where the whole scope is wanted: what it covered and cannot be seen any more is a gap,
   * and no deletion.
   */
  readonly before?: Checkpoint;
  /**
   * The cursors of the types that the same run has read already: what it knows of them need not be asked for again. It may
   * have done so some time ago, and a process of its own ago.
   */
  readonly already?: ReadonlyMap<StoredEntityType, Checkpoint>;
}

/** Where a reading goes on. Only the connector that wrote it can read it; it is stored between pages. */
export type Checkpoint = JsonValue;

/** Some records of a scope. */
export interface RecordPage {
  /** In any order. One record may come twice, on one page or on two. */
  readonly records: readonly SourceRecord[];
  /** Where to go on after this page; null after the last one. */
  readonly next: Checkpoint | null;
  /** On the last page: whether every record of the scope was read. Only then does an absence mean anything. */
  readonly complete?: boolean;
  /** On the last page: from where the next reading of the scope may read changes only; absent where it cannot. */
  readonly cursor?: Checkpoint;
  /**
   * On the last page: parts of the scope that could not be read, in words for people and without secrets, such as
   * "project 4711: requisitions (403)". Nothing is concluded from an absence in a scope with gaps.
   */
  readonly gaps?: readonly string[];
  /** Calls of the platform that this page took, those that were refused included. */
  readonly calls?: number;
  /** Those of them that the platform refused because of its limits. */
  readonly limited?: number;
  /** On the first page of a list: what all of the list takes, where the platform says it there. */
  readonly foreseen?: CallBudget;
}

/** What a reading will take. */
export interface CallBudget {
  /** Calls of the platform. */
  readonly calls: number;
  /** How long they take at least when the platform's limits are what holds them up. */
  readonly minutesAtLimit: number;
}

/** What a short try of a connection has found. */
export interface ConnectionTest {
  readonly ok: boolean;
  /** One line for people, without secrets: what works, or what is wrong. */
  readonly message: string;
}

/** Names one record of a platform. */
export interface RecordRef {
  readonly entityType: StoredEntityType;
  readonly variant: string | null;
  readonly platformId: string;
  /** The record as it was read last, where the caller has it: on some platforms its parents say where to look. */
  readonly known?: JsonObject;
}

/** A record that a platform has named as changed. What the platform says of it besides is not used: a reading brings the data. */
export interface NamedRecord {
  readonly entityType: StoredEntityType;
  readonly platformId: string;
  /** The project that it is in, where the platform names it. */
  readonly project?: string;
}

/** One write to one record. It carries all that sending needs, so that any instance can send it. */
export interface WriteCommand {
  /** UUID. A platform that knows the command already does nothing when it comes again. */
  readonly id: string;
  readonly customerId: string;
  readonly platform: PlatformName;
  readonly entityType: StoredEntityType;
  readonly variant: string | null;
  /** Null for a record to be created. */
  readonly platformId: string | null;
  /** The version of the record that the change was made for (`@odata.etag`), where the record shows one. */
  readonly ifMatch: string | null;
  /** Native fields to set; every other field stays. */
  readonly changes: readonly NativeChange[];
  /** Records of the same platform that this one refers to, by canonical field. */
  readonly referred: Readonly<Partial<Record<string, JsonObject>>>;
  /** ISO 4217: what a record means whose currency is blank; absent where that is not known. */
  readonly localCurrency?: string;
  /** ISO 4217: what a record is in that has no currency field; absent where that is not known. */
  readonly inheritedCurrency?: string;
}

/** What a platform is expected to make of a write. */
export type Prediction =
  | {
      readonly status: 'applied';
      readonly payload: JsonObject;
      /** The changes as far as the platform lets them be written: all where this is absent. The others are never sent. */
      readonly writes?: readonly NativeChange[];
      /** Those of them that go out: not what the record shows already. All of them where this is absent. */
      readonly sends?: readonly NativeChange[];
    }
  | {
      readonly status: 'rejected';
      readonly reason: string;
      /** Set when the platform has locked the record, or the field. */
      readonly isLock?: true;
    };

/** A write that happened. */
export interface Applied {
  readonly status: 'applied';
  /** The record as it is now. */
  readonly payload: JsonObject;
  /** Changes of the write that somebody else has written over since: in `payload` these fields have his values. */
  readonly replaced?: readonly NativeChange[];
  /** Changes that the platform took, and that its records do not show. */
  readonly unseen?: readonly NativeChange[];
  /** Changes that the platform did not take while it took others: it takes such a write in several calls. */
  readonly refused?: RefusedChanges;
}

/** Changes that were not made, and why; the reason is for people. */
export interface RefusedChanges {
  readonly changes: readonly NativeChange[];
  readonly reason: string;
  /** An attempt before may have made them, and somebody else has written over them since: nobody can tell. */
  readonly isUnknown?: true;
}

/** What a write that takes several calls has certainly made, while the rest of it is not decided. */
export interface PartialWrite {
  /** The ID under which the platform has created the record. */
  readonly createdAs?: string;
  /** Changes that the platform has shown as made. */
  readonly changes: readonly NativeChange[];
}

/** What became of a write. */
export type WriteOutcome =
  | Applied
  /** The platform took none of it, or made something else of it. `current` is the record as it is there now. */
  | { readonly status: 'rejected'; readonly reason: string; readonly current?: JsonObject }
  /** Somebody else changed the record: it must be read again. */
  | { readonly status: 'conflict'; readonly current: JsonObject }
  /** Nothing was sent: a limit, or an outage before the request left. The reason is for people, and has no secrets. */
  | { readonly status: 'deferred'; readonly until: Date; readonly reason?: string }
  /** It was sent, and no answer says whether all of it happened. `made` is what certainly did. */
  | { readonly status: 'uncertain'; readonly made?: PartialWrite };

/** One attempt to send a command. */
export interface Attempt {
  readonly startedAt: Date;
  /**
   * When it had ended on our side at the latest: nothing was sent after this. A request may have waited for its turn long
   * after `startedAt`, so what a platform shows late counts from here. Absent while it is sent.
   */
  readonly endedAt?: Date;
  /**
   * The record that the change was made for; undefined for one to be created. A platform without versions compares it
   * with what is there before it writes: a field of the change with another value by now is a conflict.
   */
  readonly before: JsonObject | undefined;
  /** What {@link Connector.prepare} returned for this attempt, such as the IDs that existed before a create. */
  readonly notes?: JsonValue;
  /** The database's time at which the sending, or the look for what came of it, begins. */
  readonly now: Date;
  /** What this attempt, and those before it, have certainly made; absent where that is nothing. */
  readonly made?: PartialWrite;
}

/** Nothing was sent and nothing is to be done before a time. What prepares a write may throw it. */
export class RetryLater extends Error {
  override readonly name = 'RetryLater';

  /** @param reason for people, without secrets */
  constructor(
    readonly until: Date,
    readonly reason: string,
  ) {
    super(reason);
  }
}

/** What a look at the platform says about a write whose outcome was unknown. */
export type Settlement =
  | Applied
  /**
   * It certainly did not happen, or not all of it, and may be sent again. Platforms may show a write late, so this is only
   * to be said when the end of the attempt is longer ago than that takes: until then the answer is `uncertain`.
   */
  | { readonly status: 'not_applied'; readonly made?: PartialWrite }
  /**
   * Not to be said yet: look again, not before a time where one is given. With `sent`, this look has sent calls of its own
   * for what was missing, so the attempt ends only now.
   */
  | {
      readonly status: 'uncertain';
      readonly until?: Date;
      readonly made?: PartialWrite;
      readonly sent?: true;
    }
  /** Nobody will be able to say it, for instance because several records could be the one: a person must look. */
  | { readonly status: 'held'; readonly reason: string; readonly made?: PartialWrite };

/**
 * One platform, behind one connection. Nothing here runs inside a transaction of ours: a platform may take minutes.
 * The ID and the trace to pass on are those of the connection's `cause`.
 */
export abstract class Connector {
  /** What is known of the platform; read once for each connection. */
  abstract describe(connection: Connection, signal?: AbortSignal): Promise<PlatformFacts>;

  /** The records of a scope, page by page from a checkpoint; null for the beginning. */
  abstract read(
    connection: Connection,
    scope: ReadScope,
    from: Checkpoint | null,
    signal: AbortSignal,
  ): AsyncIterable<RecordPage>;

  /**
   * One record as it is there now; undefined when there is none, by the platform's own word where it has one.
   *
   * @throws ExistenceUnknown when the platform does not say whether it is there; PlatformError
   */
  abstract get(
    connection: Connection,
    ref: RecordRef,
    signal: AbortSignal,
  ): Promise<SourceRecord | undefined>;

  /**
   * One record in the form in which `read` brings it; undefined when the platform's lists do not have it, or readings of the
   * connection leave it out. Set by a platform that names changed records ({@link NamedRecord}).
   *
   * @param ref `project` narrows the search for a record that is not `known`
   * @throws as {@link get} does
   */
  find?(
    connection: Connection,
    ref: RecordRef & Pick<NamedRecord, 'project'>,
    signal: AbortSignal,
  ): Promise<SourceRecord | undefined>;

  /**
   * What a write would make of a record. Pure.
   *
   * @param settings those of the connection that it goes through, without secrets; what hangs on them is not foreseen where
   *   the caller does not have them
   */
  abstract predict(command: WriteCommand, current: JsonObject | undefined, settings?: JsonObject): Prediction;

  /**
   * Set by a platform on which a write can be told apart only with what was there before: notes for one attempt. They are
   * stored before `submit` is called, so that whoever settles the attempt has them, whatever happens to this process.
   * Only reads. When it throws, nothing was sent, and the command comes again later.
   *
   * @param earlier the notes for a creation that was sent before, and of which nobody knows for certain that it never will
   *   have an effect: what has appeared since then may be that, and has no place in the new notes
   * @throws RetryLater when the platform is not to be asked before a time
   */
  prepare?(
    connection: Connection,
    command: WriteCommand,
    signal: AbortSignal,
    earlier?: JsonValue,
  ): Promise<JsonValue>;

  /**
   * Sends one write. Never throws for what the platform or the network does.
   *
   * @param attempt what was known before it was sent, notes included
   */
  abstract submit(
    connection: Connection,
    command: WriteCommand,
    signal: AbortSignal,
    attempt?: Attempt,
  ): Promise<WriteOutcome>;

  /** Looks whether a write with an unknown outcome happened. */
  abstract settle(
    connection: Connection,
    command: WriteCommand,
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<Settlement>;

  /**
   * Estimates what reading some scopes takes, with as few calls as it can.
   *
   * @param scopes each with `since` where only changes are to be read
   */
  budget?(connection: Connection, scopes: readonly ReadScope[], signal: AbortSignal): Promise<CallBudget>;

  /**
   * Set by a platform whose readings say with the first page of each list what it takes (`foreseen`). A run then asks for
   * no budget before: to count lists would cost as much as to read short ones.
   */
  readonly foresees?: true;

  /** Tries whether the platform can be read: credentials first, then a page. Throws nothing that the platform does. */
  test?(connection: Connection, signal: AbortSignal): Promise<ConnectionTest>;

  /**
   * Set by a platform whose records are rows of our own database: it takes a write inside the transaction that decides
   * on it, so that decision and effect commit together. `submit` does the same in a transaction of its own.
   */
  readonly local?: LocalWrites;
}

/** See {@link Connector.local}. */
export interface LocalWrites {
  /**
   * Locks the records that some commands are for, in the caller's transaction. The commands are new: none was sent before.
   *
   * @returns makes one of these writes, each once at most. It is stored with the caller's commit at the latest
   */
  lock(store: Store, commands: readonly WriteCommand[]): Promise<(command: WriteCommand) => WriteOutcome>;
}
