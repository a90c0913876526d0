import {
  ownMember,
  type JsonObject,
  type JsonValue,
  type NativeChange,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import type { ConnectionMode, WriteCommand } from '../../platforms/connector';
import type { StoredCopy } from '../../records/stored-objects';
import type { MadeParts } from './made-parts';
import type { RequestContext } from '../../runtime/tracing/request-context';

/** What recording an outcome needs to know beside the command. */
export interface Recording {
  /** Canonical IDs of what the written fields refer to; null for nothing. */
  readonly references: Readonly<Record<string, string | null>>;
  /** What those fields referred to before. */
  readonly before: Readonly<Record<string, string | null>>;
  /** Currencies of amounts that name none. */
  readonly currencies: Pick<StoredCopy, 'inheritedCurrency' | 'localCurrency'>;
  /** Whether this platform's value counts: what it rejects is not sent to the others. */
  readonly leading: boolean;
  /** Canonical IDs of what fields will refer to once it is there: it is being created on the platform. By field. */
  readonly awaits?: Readonly<Record<string, string>>;
}

/** `waiting`, `sending` and `uncertain` are open; every other status is final, and `held` asks for a person. */
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

export type CommandStatus = (typeof commandStatuses)[number];

export type FinalStatus = Exclude<CommandStatus, 'waiting' | 'sending' | 'uncertain'>;

/** A write to one platform that waits to be sent, or whose outcome is kept. */
export interface OutboxCommand {
  readonly id: string;
  readonly propagationId: string;
  /** The place among the commands of its change. */
  readonly position: number;
  readonly platform: PlatformName;
  /** The mode of the connection when the change was accepted. A command for the platform never reaches a sandbox, nor the reverse. */
  readonly mode: ConnectionMode;
  readonly entityType: StoredEntityType;
  readonly canonicalId: string;
  /** Null for a record to be created, and for a change of one that an open command is to create. */
  readonly platformId: string | null;
  readonly variant: string | null;
  readonly status: CommandStatus;
  readonly reason: string | null;
  readonly changes: readonly NativeChange[];
  /** The record that the changes were made for; undefined for one to be created. */
  readonly base: JsonObject | undefined;
  readonly referred: Readonly<Record<string, JsonObject>>;
  readonly predicted: JsonObject;
  readonly recording: Recording;
  /** Commands that are decided before this one is sent: they create what it refers to. */
  readonly waitsFor: readonly string[];
}

/** A command as it is stored. */
export interface StoredCommand extends OutboxCommand {
  /** The request that asked for the change; undefined for one of a release that did not keep it. */
  readonly cause: RequestContext | undefined;
  readonly attempts: number;
  /** How often somebody else's change came between. */
  readonly conflicts: number;
  /** How often somebody looked whether the last attempt had an effect. */
  readonly looks: number;
  /** What the connector noted before the last attempt; undefined for nothing. */
  readonly notes: JsonValue | undefined;
  /** When it was claimed to be sent last. */
  readonly sentAt: Date | null;
  /** When that attempt had ended on our side, where nobody knows what came of it. */
  readonly givenUpAt: Date | null;
  /** What it has made by now, while it is not decided. */
  readonly made: MadeParts;
}

/** Whether a command changes a record that another one is to create: it learns then which record that is. */
export function changesComing({ platformId, base }: Pick<OutboxCommand, 'platformId' | 'base'>): boolean {
  return platformId === null && base !== undefined;
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

/** The version that a record shows, in OData's form; null where it shows none. */
export function versionOf(record: JsonObject | undefined): string | null {
  const version = record && ownMember(record, '@odata.etag');
  return typeof version === 'string' && version !== '' ? version : null;
}
