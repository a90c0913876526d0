import type { JsonObject, NativeChange, PlatformName, StoredEntityType } from '@app/mapper';
import type { ConnectionMode, WriteCommand } from '../connectors/connector';
import type { StoredCopy } from '../records/stored-objects';

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
}

/** `waiting`, `sending` and `uncertain` are open; every other status is final, and `held` asks for a person. */
export type CommandStatus =
  'waiting' | 'sending' | 'uncertain' | 'applied' | 'unchanged' | 'rejected' | 'skipped' | 'held';

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
  /** Null for a record to be created. */
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
}

/** A command as it is stored. */
export interface StoredCommand extends OutboxCommand {
  readonly attempts: number;
  /** How often somebody else's change came between. */
  readonly conflicts: number;
  /** When it was sent last. */
  readonly sentAt: Date | null;
}

/** What a connector needs to send a command. */
export function writeCommandOf(customerId: string, command: OutboxCommand): WriteCommand {
  const { id, platform, entityType, variant, platformId, changes, referred } = command;
  return { id, customerId, platform, entityType, variant, platformId, ifMatch: null, changes, referred };
}
