import {
  ownMember,
  type JsonObject,
  type JsonValue,
  type NativeChange,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import type { ConnectionMode, WriteCommand } from '../../platforms/connector';
import type { StoredCopy } from '../../records/loaded-object';
import type { PartialProgress } from './partial/partial-progress';
import type { RequestContext } from '../../runtime/tracing/request-context';

/** The part of a command that is not sent: it is used when the command's outcome is recorded. */
export interface Recording {
  /** Canonical IDs that the written fields refer to; null for none. */
  readonly references: Readonly<Record<string, string | null>>;
  /** The canonical IDs that those fields referred to before. */
  readonly before: Readonly<Record<string, string | null>>;
  /** Currencies of amounts that name none. */
  readonly currencies: Pick<StoredCopy, 'inheritedCurrency' | 'localCurrency'>;
  /** Whether this platform leads: the other platforms do not get a change that it rejects. */
  readonly leading: boolean;
  /** By field: canonical IDs of objects whose records are still to be created on the platform. */
  readonly awaits?: Readonly<Record<string, string>>;
}

/** `waiting`, `sending` and `uncertain` are open; every other status is final, and `held` needs a decision by a person. */
export const commandStatuses = [
  'waiting',
  'sending',
  'uncertain',
  'applied',
  'unchanged',
  'rejected',
  'skipped',
  'held',
] as const;

/** See {@link commandStatuses}. */
export type CommandStatus = (typeof commandStatuses)[number];

/** A status of a decided command. */
export type FinalStatus = Exclude<CommandStatus, 'waiting' | 'sending' | 'uncertain'>;

/** A write to one platform that waits to be sent, or whose outcome is kept. */
export interface OutboxCommand {
  readonly id: string;
  readonly propagationId: string;
  /** The place among the commands of its change. */
  readonly position: number;
  readonly platform: PlatformName;
  /**
   * The mode of the connection when the change was accepted. A command for a live platform never reaches a sandbox, nor
   * the reverse.
   */
  readonly mode: ConnectionMode;
  readonly entityType: StoredEntityType;
  readonly canonicalId: string;
  /** Null for a creation, and for a change of a record that an open command creates. */
  readonly platformId: string | null;
  readonly variant: string | null;
  readonly status: CommandStatus;
  readonly reason: string | null;
  readonly changes: readonly NativeChange[];
  /** The record that the changes were planned for; undefined for a creation. */
  readonly base: JsonObject | undefined;
  /** Records on the same platform that the written record refers to, by canonical field. */
  readonly referred: Readonly<Record<string, JsonObject>>;
  /** The record as the write is expected to leave it. */
  readonly predicted: JsonObject;
  readonly recording: Recording;
  /** Commands that must be decided before this one is sent. They create what it refers to. */
  readonly waitsFor: readonly string[];
}

/** A command as it is stored. */
export interface StoredCommand extends OutboxCommand {
  /** The request that made the change; undefined for a command that an older release stored without it. */
  readonly cause: RequestContext | undefined;
  /** How often the command was claimed since it was stored or reopened, to be sent or to be settled. */
  readonly attempts: number;
  /** How often a concurrent change caused a conflict. */
  readonly conflicts: number;
  /** How often the outcome of the last attempt was checked. */
  readonly checks: number;
  /** The connector's notes of the last attempt; undefined if there are none. */
  readonly notes: JsonValue | undefined;
  /** When the command was last claimed for sending. */
  readonly sentAt: Date | null;
  /** When that attempt had ended on this side, if its outcome is unknown. */
  readonly givenUpAt: Date | null;
  /** The effects so far, while the command is not decided. */
  readonly made: PartialProgress;
}

/**
 * Whether a command changes a record that another command creates. It gets the record's ID when that command is
 * applied.
 */
export function changesComing({ platformId, base }: Pick<OutboxCommand, 'platformId' | 'base'>): boolean {
  return platformId === null && base !== undefined;
}

/**
 * Whether the platform may have got the write of a command that is not decided. A creation waits also after an attempt that may still
 * take effect: the platform did not show the record, or could not be asked for it before it is sent again.
 */
export function mayHaveBeenSent({
  status,
  platformId,
  givenUpAt,
}: Pick<StoredCommand, 'status' | 'platformId' | 'givenUpAt'>): boolean {
  return status !== 'waiting' || (platformId === null && givenUpAt !== null);
}

/** What became of a command, without what it writes. */
export interface CommandOutcome extends Pick<
  StoredCommand,
  'id' | 'propagationId' | 'platform' | 'platformId' | 'status' | 'reason' | 'made'
> {
  /** Whether it is to create a record. */
  readonly isCreation: boolean;
}

/** Whether a command has created its record or still may. False if the creation failed, or if a person must decide. */
export function createsRecord({
  isCreation,
  status,
}: Pick<CommandOutcome, 'isCreation' | 'status'>): boolean {
  return isCreation && !['held', 'rejected', 'skipped'].includes(status);
}

/** What a connector needs to send a command. */
export function writeCommandOf(customerId: string, command: OutboxCommand): WriteCommand {
  const { id, platform, entityType, variant, platformId, changes, referred, base } = command;
  const ifMatch = versionOf(base);
  const { localCurrency, inheritedCurrency } = command.recording.currencies;
  return {
    ...{ id, customerId, platform, entityType, variant, platformId, ifMatch, changes, referred },
    ...(localCurrency !== undefined && { localCurrency }),
    ...(inheritedCurrency !== undefined && { inheritedCurrency }),
  };
}

/** The version of a record on its platform, which is its OData ETag; null if the record has none. */
export function versionOf(record: JsonObject | undefined): string | null {
  const version = record && ownMember(record, '@odata.etag');
  return typeof version === 'string' && version !== '' ? version : null;
}
