import type {
  JsonObject,
  JsonPath,
  JsonValue,
  NativeChange,
  PlatformName,
  StoredEntityType,
} from '@app/mapper';
import type { ConnectionMode } from '../database/entities/connection-mode';
import type { Store } from '../database/transaction/store';
import type { RequestContext } from '../runtime/tracing/request-context';
import type { TraceContext } from '../runtime/tracing/trace-context';
import type { CallerRequest, SendCallerRequest } from './caller-request';

export type { ConnectionMode };

/** Names the connection of a customer to one platform. */
export interface ConnectionName {
  readonly customerId: string;
  readonly platform: PlatformName;
  /** The request that causes the call. The connector passes on its ID and trace. Absent for background work. */
  readonly cause?: RequestContext;
  /** The span of the work that calls. The spans of calls follow from it; absent while no spans are recorded. */
  readonly trace?: TraceContext;
  /** The sync run that causes the call, for the log. */
  readonly runId?: string;
  /** The command that causes the call, for the log. */
  readonly commandId?: string;
}

/** A customer's connection to one platform. */
export interface Connection extends ConnectionName {
  readonly mode: ConnectionMode;
}

/** Facts about a platform that are needed before any record is read. */
export interface PlatformFacts {
  /** ISO 4217: the currency of an amount whose record, contract and project name none. */
  readonly currency: string;
}

/** A record as the platform stores it. */
export interface SourceRecord {
  readonly entityType: StoredEntityType;
  /** The platform's resource for the record, where the platform has several for one type; otherwise null. */
  readonly variant: string | null;
  readonly payload: JsonObject;
}

/** The records that one reading covers: those of one type. */
export interface ReadScope {
  readonly entityType: StoredEntityType;
  /**
   * The cursor of an earlier reading. The connector reads only records that may have changed since then. A connector
   * that cannot filter by time reads every record. Absent for a reading of the whole scope.
   */
  readonly since?: Checkpoint;
  /**
   * The cursor of the last reading. It is set for a reading of the whole scope too. The connector reports a part of
   * the scope that this cursor covered and that it can no longer read as a gap, not as a deletion.
   */
  readonly before?: Checkpoint;
  /**
   * The cursors of the types that the same run has already read. The connector may reuse what they contain instead of
   * asking the platform again. Another process may have read those types some time ago.
   */
  readonly already?: ReadonlyMap<StoredEntityType, Checkpoint>;
}

/** The position from which a reading continues. The service stores it between pages and does not interpret it. */
export type Checkpoint = JsonValue;

/** One page of the records of a scope. */
export interface RecordPage {
  /** In any order. A record may appear more than once, on the same page or on different pages. */
  readonly records: readonly SourceRecord[];
  /** The position after this page; null on the last page. */
  readonly next: Checkpoint | null;
  /**
   * On the last page: whether the connector read every record of the scope. The service concludes that a missing
   * record is deleted only if this is true.
   */
  readonly complete?: boolean;
  /**
   * On the last page: the cursor from which the next reading may read changes only; absent if it must read
   * everything.
   */
  readonly cursor?: Checkpoint;
  /**
   * On the last page: parts of the scope that the connector could not read. Each is a phrase for people without
   * secrets, such as "project 4711: requisitions (403)". The service draws no conclusion from a missing record in a
   * scope with gaps.
   */
  readonly gaps?: readonly string[];
  /** The number of platform calls that this page took, refused calls included. */
  readonly calls?: number;
  /** The number of those calls that the platform refused because of its rate limits. */
  readonly limited?: number;
  /** On the first page of a list: the estimate for the whole list, if the platform states the list's size there. */
  readonly foreseen?: CallBudget;
}

/** An estimate of the work of a reading. */
export interface CallBudget {
  /** Calls to the platform. */
  readonly calls: number;
  /** The minutes that these calls take at least, given the platform's rate limits. */
  readonly minutesAtLimit: number;
}

/** The result of a connection test. */
export interface ConnectionTest {
  readonly ok: boolean;
  /** One line for people, without secrets. It says what works or what is wrong. */
  readonly message: string;
}

/** Names one record of a platform. */
export interface RecordRef {
  readonly entityType: StoredEntityType;
  readonly variant: string | null;
  readonly platformId: string;
  /**
   * The record as the service read it last, if the caller has it. On some platforms its parents determine the address
   * of the record.
   */
  readonly known?: JsonObject;
}

/** A record whose address is wanted. */
export interface AddressedRecord extends Pick<RecordRef, 'entityType' | 'variant' | 'platformId'> {
  /** Native IDs of the records under which the record was created, as far as the record shows them. */
  readonly parents: Readonly<Partial<Record<'project' | 'contract', string>>>;
}

/**
 * A record that a platform's notification names as changed. The service uses only the name; it reads the data itself.
 */
export interface NamedRecord {
  readonly entityType: StoredEntityType;
  readonly platformId: string;
  /** The project that contains the record, if the platform names it. */
  readonly project?: string;
}

/** One write to one record. The command contains everything that sending needs, so that any instance can send it. */
export interface WriteCommand {
  /**
   * UUID. A sandbox keeps it with the record, and therefore ignores a repetition. A live platform does not know it: `settle`
   * finds out whether a write happened.
   */
  readonly id: string;
  readonly customerId: string;
  readonly platform: PlatformName;
  readonly entityType: StoredEntityType;
  readonly variant: string | null;
  /** Null for a record to be created. */
  readonly platformId: string | null;
  /** The version of the record that the change was made for (`@odata.etag`), where the record shows one. */
  readonly ifMatch: string | null;
  /** Native fields to set. All other fields keep their values. */
  readonly changes: readonly NativeChange[];
  /** Records of the same platform that this one refers to, by canonical field. */
  readonly referred: Readonly<Partial<Record<string, JsonObject>>>;
  /** ISO 4217: the currency of a record whose currency field is blank; absent if it is not known. */
  readonly localCurrency?: string;
  /** ISO 4217: the currency of a record that has no currency field; absent if it is not known. */
  readonly inheritedCurrency?: string;
}

/** The expected effect of a write. */
export type Prediction =
  | {
      readonly status: 'applied';
      readonly payload: JsonObject;
      /** The changes that the platform accepts; absent if it accepts all. The dispatcher never sends the others. */
      readonly writes?: readonly NativeChange[];
      /** The changes that the connector sends: it omits those that the record already shows. Absent if it sends all. */
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
  /**
   * Changes that were made and that another user has overwritten since. In `payload` these fields have the other
   * user's values.
   */
  readonly replaced?: readonly NativeChange[];
  /** Changes that the platform accepted and that its records do not show. */
  readonly unseen?: readonly NativeChange[];
  /**
   * Changes that the platform refused while it accepted others. This happens on a platform that takes one write in
   * several calls.
   */
  readonly refused?: RefusedChanges;
}

/** Refused changes and the reason, for people. */
export interface RefusedChanges {
  readonly changes: readonly NativeChange[];
  readonly reason: string;
  /** Whether an earlier attempt may have made the changes before another user overwrote them. */
  readonly isUnknown?: true;
}

/** The certain part of a write that takes several calls and is not decided yet. */
export interface PartialWrite {
  /** The ID of the record that the platform has created. */
  readonly createdAs?: string;
  /** Changes that the platform has confirmed. */
  readonly changes: readonly NativeChange[];
}

/** The outcome of a write. */
export type WriteOutcome =
  | Applied
  /** The platform refused the write, or stored other values. `current` is the present record. */
  | { readonly status: 'rejected'; readonly reason: string; readonly current?: JsonObject }
  /** Another user changed the record. The caller must read it again. */
  | { readonly status: 'conflict'; readonly current: JsonObject }
  /**
   * Nothing was sent, or the platform took nothing of it, because of a rate limit or an outage. The reason is for people
   * and contains no secrets.
   */
  | { readonly status: 'deferred'; readonly until: Date; readonly reason?: string }
  /**
   * The write was sent, and no response tells whether all of it took effect. `made` is the part that certainly did. The
   * dispatcher calls `settle`, not before `until` if that is set. `fault` is an error of this service that ended the
   * attempt after a part was made; the dispatcher reports it.
   */
  | {
      readonly status: 'uncertain';
      readonly until?: Date;
      readonly made?: PartialWrite;
      readonly fault?: unknown;
    };

/** One attempt to send a command. */
export interface Attempt {
  readonly startedAt: Date;
  /**
   * The latest time at which this service can have sent a request of the attempt. A request may have waited for the
   * rate limiter long after `startedAt`, so a platform's delay counts from here. Absent while the attempt runs.
   */
  readonly endedAt?: Date;
  /**
   * The record that the change was planned for; undefined for a creation. On a platform without versions the
   * connector compares it with the present record before it writes. A changed field that has another value by then is
   * a conflict.
   */
  readonly before: JsonObject | undefined;
  /** The result of {@link Connector.prepare} for this attempt, such as the IDs that existed before a creation. */
  readonly notes?: JsonValue;
  /** The database's time at the start of `submit` or `settle`. */
  readonly now: Date;
  /** The certain effect of this attempt and of earlier ones; absent if there is none. */
  readonly made?: PartialWrite;
  /**
   * Whether the command still belongs to this attempt. A connector checks this after it has read the connection's
   * settings and before it calls the platform, because a connection that was set to another company meanwhile has ended
   * the command.
   */
  readonly isCurrent?: () => Promise<boolean>;
}

/** Thrown by `prepare`: nothing was sent, and the command must wait until the given time. */
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

/** The result of checking a write whose outcome is unknown. */
export type Settlement =
  | Applied
  /**
   * The write, or a part of it, certainly did not happen, and the dispatcher may send it again. Platforms may show a
   * write late. A connector returns this only after the platform's delay since the end of the attempt; until then it
   * returns `uncertain`.
   */
  | { readonly status: 'not_applied'; readonly made?: PartialWrite }
  /**
   * The connector cannot tell yet. The dispatcher calls `settle` again, not before `until` if that is set. With
   * `sent`, this call has sent missing parts of the write, so the attempt ends now. `fault` is as in a write's outcome.
   */
  | {
      readonly status: 'uncertain';
      readonly until?: Date;
      readonly made?: PartialWrite;
      readonly sent?: true;
      readonly fault?: unknown;
    }
  /** The connector will never be able to tell, for instance because several records match. A person must decide. */
  | { readonly status: 'held'; readonly reason: string; readonly made?: PartialWrite };

/**
 * One platform. The service calls no method that may reach the platform inside a database transaction, because a platform
 * may take minutes: `local` is the exception. It may call `predict`, `isSameValue` and `addresses` inside one, so these wait for
 * nothing. The connector passes on the request ID and the trace of the connection's `cause`.
 */
export abstract class Connector {
  /** Facts about the platform. Each run reads them at its beginning, and again when another instance takes it over. */
  abstract describe(connection: Connection, signal?: AbortSignal): Promise<PlatformFacts>;

  /**
   * Reads the records of a scope page by page.
   *
   * @param from the position to continue from; null for the beginning
   */
  abstract read(
    connection: Connection,
    scope: ReadScope,
    from: Checkpoint | null,
    signal: AbortSignal,
  ): AsyncIterable<RecordPage>;

  /**
   * Reads one record; undefined if it does not exist, or if the settings of the connection leave it out of readings. If
   * the platform itself states that a record does not exist, the connector relies on it.
   *
   * @throws ExistenceUnknown when the platform does not state whether the record exists; PlatformError
   */
  abstract get(
    connection: Connection,
    ref: RecordRef,
    signal: AbortSignal,
  ): Promise<SourceRecord | undefined>;

  /**
   * Reads one record in the form in which `read` returns it. Undefined if the platform's lists do not contain it, or
   * if readings of the connection leave it out. Implemented for a platform that names changed records ({@link
   * NamedRecord}).
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
   * Predicts the effect of a write on a record. Pure.
   *
   * @param settings settings of the connection, without secrets. Effects that depend on them are not predicted if the
   *   caller does not have them
   */
  abstract predict(command: WriteCommand, current: JsonObject | undefined, settings?: JsonObject): Prediction;

  /** Whether two values of a field mean the same to the platform. Pure. Absent where only equal JSON does. */
  isSameValue?(
    entityType: StoredEntityType,
    path: JsonPath,
    one: JsonValue | undefined,
    other: JsonValue | undefined,
  ): boolean;

  /**
   * Takes notes before an attempt. Implemented for a platform on which a write can be recognised only by comparison
   * with the state before it. The dispatcher stores the notes before it calls `submit`, so that any process can
   * settle the attempt. The method only reads. If it throws, nothing was sent, and the dispatcher sends the command
   * again later.
   *
   * @param earlier the notes of an earlier creation that may still take effect. A record that has appeared since then
   *   may be that creation, so the new notes must not contain it
   * @throws RetryLater when the command must wait
   */
  prepare?(
    connection: Connection,
    command: WriteCommand,
    signal: AbortSignal,
    earlier?: JsonValue,
  ): Promise<JsonValue>;

  /**
   * Sends one write. Failures of the platform or the network are outcomes, not exceptions.
   *
   * @param attempt the state before the attempt, notes included
   */
  abstract submit(
    connection: Connection,
    command: WriteCommand,
    signal: AbortSignal,
    attempt?: Attempt,
  ): Promise<WriteOutcome>;

  /** Checks whether a write with an unknown outcome happened. */
  abstract settle(
    connection: Connection,
    command: WriteCommand,
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<Settlement>;

  /**
   * Estimates the calls for reading some scopes, with as few calls as possible.
   *
   * @param scopes each with `since` if only changes are to be read
   */
  budget?(connection: Connection, scopes: readonly ReadScope[], signal: AbortSignal): Promise<CallBudget>;

  /**
   * Set for a platform whose readings return an estimate with the first page of each list (`foreseen`). A run then
   * does not call `budget`, because counting short lists would cost as much as reading them.
   */
  readonly foresees?: true;

  /**
   * Tests whether the platform can be read: first the credentials, then one page. Failures of the platform are
   * results, not exceptions.
   */
  test?(connection: Connection, signal: AbortSignal): Promise<ConnectionTest>;

  /**
   * Returns a function that computes the address of a record in the platform's API from the settings of a connection
   * and the IDs of the record. Pure. The address is undefined if these do not suffice. Absent for a sandbox.
   */
  addresses?(settings: JsonObject): (record: AddressedRecord) => string | undefined;

  /**
   * Checks a request that a caller has composed, without a call to the platform. Absent for a sandbox.
   *
   * @throws ApiError VALIDATION_ERROR for a request that leaves the connection; CONFLICT_ERROR without credentials
   */
  openRequest?(connection: Connection, request: CallerRequest): Promise<SendCallerRequest>;

  /** The longest time that a write of a caller can take once it is opened, in milliseconds. Set with `openRequest`. */
  readonly longestRequestMs?: number;

  /**
   * Set for a platform whose records are rows of this database. It applies a write inside the transaction that
   * decides on it, so that decision and effect commit together. `submit` does the same in a transaction of its own.
   */
  readonly local?: LocalWrites;
}

/** See {@link Connector.local}. */
export interface LocalWrites {
  /** Locks the records of some new commands in the caller's transaction. */
  lock(store: Store, commands: readonly WriteCommand[]): Promise<LockedWrites>;
}

/** The writes of some commands whose records are locked. */
export interface LockedWrites {
  /** Applies one of the writes, at most once each. */
  apply(command: WriteCommand): WriteOutcome;
  /** Stores the writes that were applied, with the caller's commit at the latest. */
  save(): void;
}
