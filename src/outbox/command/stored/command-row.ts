import {
  isJsonObject,
  parseJsonText,
  type JsonObject,
  type JsonValue,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import type { ConnectionMode } from '../../../platforms/connector';
import { causeFrom } from './command-cause';
import { progressFrom } from '../partial/partial-progress';
import type { CommandStatus, Recording, StoredCommand } from '../outbox-command';
import { changesIn } from '../stored-changes';

/** A row of a command, as {@link commandColumns} selects it. */
export type CommandRow = {
  readonly id: string;
  readonly propagation_id: string;
  readonly position: number;
  readonly platform: PlatformName;
  readonly mode: ConnectionMode;
  readonly entity_type: StoredEntityType;
  readonly canonical_id: string;
  readonly platform_id: string | null;
  readonly variant: string | null;
  readonly status: CommandStatus;
  readonly reason: string | null;
  readonly changes: string;
  readonly base: string | null;
  readonly referred: string;
  readonly predicted: string;
  readonly recording: string;
  readonly attempts: number;
  readonly conflicts: number;
  readonly checks: number;
  readonly notes: string | null;
  readonly waits_for: string[] | null;
  readonly sent_at: Date | null;
  readonly given_up_at: Date | null;
  readonly cause: string | null;
  readonly made: string | null;
};

/** SQL for the columns of a command. JSON is selected as text, so that numbers keep all their digits. */
export const commandColumns = `id, propagation_id, position, platform, mode, entity_type, canonical_id, platform_id, variant, status, reason,
  changes::text as changes, base::text as base, referred::text as referred, predicted::text as predicted,
  recording::text as recording, attempts, conflicts, checks, notes::text as notes, waits_for, sent_at, given_up_at,
  cause::text as cause, made::text as made`;

/** A command from its row. @throws Error if a JSON column does not hold a command's JSON */
export function commandFrom(row: CommandRow): StoredCommand {
  return {
    id: row.id,
    propagationId: row.propagation_id,
    position: row.position,
    platform: row.platform,
    mode: row.mode,
    entityType: row.entity_type,
    canonicalId: row.canonical_id,
    platformId: row.platform_id,
    variant: row.variant,
    status: row.status,
    reason: row.reason,
    changes: changesIn(parseJsonText(row.changes)),
    base: row.base === null ? undefined : objectFrom(row.base),
    referred: recordsFrom(row.referred),
    predicted: objectFrom(row.predicted),
    recording: JSON.parse(row.recording) as Recording, // Written by insertCommands from the same type.
    attempts: row.attempts,
    conflicts: row.conflicts,
    checks: row.checks,
    notes: row.notes === null ? undefined : parseJsonText(row.notes),
    waitsFor: row.waits_for ?? [],
    sentAt: row.sent_at,
    givenUpAt: row.given_up_at,
    cause: causeFrom(row.cause),
    made: progressFrom(row.made),
  };
}

function recordsFrom(text: string): Readonly<Record<string, JsonObject>> {
  const entries = Object.entries(objectFrom(text));
  return Object.fromEntries(entries.filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1])));
}

function objectFrom(text: string): JsonObject {
  const value: JsonValue = parseJsonText(text);
  if (!isJsonObject(value)) throw new Error('A stored command holds no JSON object');
  return value;
}
