import {
  isJsonArray,
  isJsonObject,
  parseJsonText,
  stringifyJson,
  type JsonObject,
  type JsonValue,
  type NativeChange,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import type { ConnectionMode } from '../connectors/connector';
import type { Store } from '../database/store';
import type { CommandStatus, OutboxCommand, Recording, StoredCommand } from './outbox-command';

/** Milliseconds for which a command belongs to who claimed it. The lease is renewed while the command is sent. */
export const LEASE_MS = 30_000;

/**
 * Milliseconds after which an attempt is given up. Less than a lease: when another instance claims the command of one
 * that is not heard of any more, that one's request has ended, and no look at the platform comes before the effect.
 */
export const SEND_LIMIT_MS = 25_000;

type CommandRow = {
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
  readonly looks: number;
  readonly notes: string | null;
  readonly waits_for: string[] | null;
  readonly sent_at: Date | null;
  readonly given_up_at: Date | null;
};

const columns = `id, propagation_id, position, platform, mode, entity_type, canonical_id, platform_id, variant, status, reason,
  changes::text as changes, base::text as base, referred::text as referred, predicted::text as predicted,
  recording::text as recording, attempts, conflicts, looks, notes::text as notes, waits_for, sent_at, given_up_at`;

/**
 * Stores commands, in the order in which they are to be sent and with the commit at the latest. One with a final status is
 * kept as history.
 */
export function insertCommands(store: Store, customerId: string, commands: readonly OutboxCommand[]): void {
  // One by one: the order of insertion is the order of sending.
  for (const command of commands) {
    store.queryLater(
      `insert into outbox_commands (customer_id, id, propagation_id, position, platform, entity_type, canonical_id,
         platform_id, variant, status, reason, changes, base, referred, predicted, recording, decided_at, mode, waits_for)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
      [
        customerId,
        command.id,
        command.propagationId,
        command.position,
        command.platform,
        command.entityType,
        command.canonicalId,
        command.platformId,
        command.variant,
        command.status,
        command.reason,
        changesText(command.changes),
        command.base === undefined ? null : stringifyJson(command.base),
        stringifyJson(command.referred),
        stringifyJson(command.predicted),
        JSON.stringify(command.recording),
        command.status === 'waiting' ? null : new Date(),
        command.mode,
        command.waitsFor.length > 0 ? command.waitsFor : null,
      ],
    );
  }
}

/** Customers with commands to send or to settle now, those that wait longest first. Reads across customers. */
export async function dueCustomers(store: Store, limit: number): Promise<readonly string[]> {
  const rows = await store.query<{ customer_id: string }>(
    `select customer_id from outbox_commands
     where decided_at is null and not_before <= now() and (lease_until is null or lease_until < now())
     group by customer_id order by min(not_before) limit $1`,
    [limit],
  );
  return rows.map(({ customer_id }) => customer_id);
}

/** What has to be decided before a command `c`: an earlier one of its change or its record, and what it refers to. */
export const goesBefore = `e.customer_id = c.customer_id and e.decided_at is null
  and (e.id = any(c.waits_for)
    or (e.seq < c.seq
      and (e.propagation_id = c.propagation_id or (e.canonical_id = c.canonical_id and e.platform = c.platform))))`;

/**
 * Claims commands of one customer that nothing goes before: neither an earlier one for the same record nor an earlier
 * one of the same change, nor one that creates what it refers to. Those that are due for longest come first, so one that
 * is put off again and again keeps nobody else waiting. One that somebody was sending when the lease ended is uncertain
 * now.
 */
export async function claimCommands(
  store: Store,
  customerId: string,
  owner: string,
  limit: number,
): Promise<readonly StoredCommand[]> {
  const rows = await store.query<CommandRow>(
    `update outbox_commands set
       status = case when status = 'waiting' then 'sending' else 'uncertain' end,
       lease_owner = $2, lease_until = now() + $4 * interval '1 millisecond',
       sent_at = case when status = 'waiting' then $5::timestamptz else sent_at end,
       given_up_at = case when status = 'waiting' then null
         when status = 'sending' then least($5::timestamptz, sent_at + $6 * interval '1 millisecond') else given_up_at end,
       looks = case when status = 'waiting' then 0 else looks + 1 end,
       notes = case when status = 'waiting' then null else notes end,
       attempts = attempts + 1, put_off = null
     where customer_id = $1 and id in (
       select c.id from outbox_commands c
       where c.customer_id = $1 and c.decided_at is null and c.not_before <= now()
         and (c.lease_until is null or c.lease_until < now())
         and not exists (select 1 from outbox_commands e where e.customer_id = $1 and ${goesBefore})
       order by c.not_before, c.seq limit $3 for update skip locked)
     returning ${columns}`,
    [customerId, owner, limit, LEASE_MS, new Date(), SEND_LIMIT_MS],
  );
  return rows.map(commandFrom);
}

/** Keeps commands for longer. */
export async function renewLease(store: Store, customerId: string, id: string, owner: string): Promise<void> {
  await store.query(
    `update outbox_commands set lease_until = now() + $4 * interval '1 millisecond'
     where customer_id = $1 and id = $2 and lease_owner = $3 and decided_at is null`,
    [customerId, id, owner, LEASE_MS],
  );
}

/** What becomes of a command that is not decided: it waits to be sent, or to be looked for, until a time. */
export interface PutBack {
  readonly as: 'waiting' | 'uncertain';
  readonly until: Date;
  /** Why, for people. */
  readonly reason?: string;
}

/** Gives a command back, undecided: to be looked at again after a while. */
export async function putBack(
  store: Store,
  customerId: string,
  id: string,
  owner: string,
  { as, until, reason }: PutBack,
): Promise<void> {
  await store.query(
    `update outbox_commands set status = $4, not_before = $5, put_off = $6, lease_owner = null, lease_until = null,
       given_up_at = case when status = 'sending' and $4 = 'uncertain' then $7 else given_up_at end
     where customer_id = $1 and id = $2 and lease_owner = $3 and decided_at is null`,
    [customerId, id, owner, as, until, reason ?? null, new Date()],
  );
}

/**
 * Keeps what a connector noted before it sends a command.
 *
 * @returns whether it may be sent; not when somebody else has taken the command over
 */
export async function keepNotes(
  store: Store,
  customerId: string,
  id: string,
  owner: string,
  notes: JsonValue,
): Promise<boolean> {
  const rows = await store.query(
    `update outbox_commands set notes = $4, lease_until = now() + $5 * interval '1 millisecond'
     where customer_id = $1 and id = $2 and lease_owner = $3 and status = 'sending' and decided_at is null
     returning id`,
    [customerId, id, owner, stringifyJson(notes), LEASE_MS],
  );
  return rows.length > 0;
}

/** Gives a command what it waited for: the native names of what it refers to. */
export async function complete(
  store: Store,
  customerId: string,
  { id, changes, referred, predicted, recording }: StoredCommand,
): Promise<void> {
  await store.query(
    `update outbox_commands set changes = $3, referred = $4, predicted = $5, recording = $6, waits_for = null
     where customer_id = $1 and id = $2`,
    [
      customerId,
      id,
      changesText(changes),
      stringifyJson(referred),
      stringifyJson(predicted),
      JSON.stringify(recording),
    ],
  );
}

/** Some commands of a customer. */
export async function commandsById(
  store: Store,
  customerId: string,
  ids: readonly string[],
): Promise<readonly StoredCommand[]> {
  if (ids.length === 0) return [];
  const rows = await store.query<CommandRow>(
    `select ${columns} from outbox_commands where customer_id = $1 and id = any($2) order by seq`,
    [customerId, ids],
  );
  return rows.map(commandFrom);
}

/** The object that a command is for now; undefined when there is no such command. Objects may have become one. */
export async function objectOf(store: Store, customerId: string, id: string): Promise<string | undefined> {
  const [row] = await store.query<{ canonical_id: string }>(
    'select canonical_id from outbox_commands where customer_id = $1 and id = $2',
    [customerId, id],
  );
  return row?.canonical_id;
}

/** A command, locked; undefined when it is decided or claimed by somebody else by now. */
export async function lockOwn(
  store: Store,
  customerId: string,
  id: string,
  owner: string,
): Promise<StoredCommand | undefined> {
  const [row] = await store.query<CommandRow>(
    `select ${columns} from outbox_commands
     where customer_id = $1 and id = $2 and lease_owner = $3 and decided_at is null for update`,
    [customerId, id, owner],
  );
  return row && commandFrom(row);
}

/** Open commands of an object, in the order in which they are sent. */
export async function openCommands(
  store: Store,
  customerId: string,
  canonicalId: string,
): Promise<readonly StoredCommand[]> {
  const rows = await store.query<CommandRow>(
    `select ${columns} from outbox_commands
     where customer_id = $1 and canonical_id = $2 and decided_at is null order by seq`,
    [customerId, canonicalId],
  );
  return rows.map(commandFrom);
}

/** The first open command for a live platform, locked; undefined when none is left. */
export async function firstOpenLive(
  store: Store,
  customerId: string,
  platform: PlatformName,
): Promise<StoredCommand | undefined> {
  const [row] = await store.query<CommandRow>(
    `select ${columns} from outbox_commands
     where customer_id = $1 and platform = $2 and mode = 'live' and decided_at is null order by seq limit 1 for update`,
    [customerId, platform],
  );
  return row && commandFrom(row);
}

/** Commands of a change, in the order in which they are sent. */
export async function commandsOf(
  store: Store,
  customerId: string,
  propagationId: string,
): Promise<readonly StoredCommand[]> {
  const rows = await store.query<CommandRow>(
    `select ${columns} from outbox_commands where customer_id = $1 and propagation_id = $2 order by position`,
    [customerId, propagationId],
  );
  return rows.map(commandFrom);
}

/** Decides a command for good. */
export async function decide(
  store: Store,
  customerId: string,
  id: string,
  status: Exclude<CommandStatus, 'waiting' | 'sending' | 'uncertain'>,
  reason: string | null,
): Promise<void> {
  await store.query(
    `update outbox_commands set status = $3, reason = $4, decided_at = now(), lease_owner = null, lease_until = null
     where customer_id = $1 and id = $2`,
    [customerId, id, status, reason],
  );
}

/** Gives a command other changes, made for another record, and lets it be sent again at once. */
export async function rebase(
  store: Store,
  customerId: string,
  { id, platformId, changes, base, predicted, reason, conflicts, recording }: StoredCommand,
): Promise<void> {
  await store.query(
    `update outbox_commands set changes = $3, base = $4, predicted = $5, reason = $6, conflicts = $7, recording = $8,
       platform_id = $9, status = 'waiting', not_before = now(), lease_owner = null, lease_until = null
     where customer_id = $1 and id = $2`,
    [
      customerId,
      id,
      changesText(changes),
      base === undefined ? null : stringifyJson(base),
      stringifyJson(predicted),
      reason,
      conflicts,
      JSON.stringify(recording),
      platformId,
    ],
  );
}

function changesText(changes: readonly NativeChange[]): string {
  return stringifyJson(changes.map(({ path, value }) => ({ path, value })));
}

function commandFrom(row: CommandRow): StoredCommand {
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
    changes: changesFrom(row.changes),
    base: row.base === null ? undefined : objectFrom(row.base),
    referred: recordsFrom(row.referred),
    predicted: objectFrom(row.predicted),
    recording: JSON.parse(row.recording) as Recording, // Written by insertCommands from the same type.
    attempts: row.attempts,
    conflicts: row.conflicts,
    looks: row.looks,
    notes: row.notes === null ? undefined : parseJsonText(row.notes),
    waitsFor: row.waits_for ?? [],
    sentAt: row.sent_at,
    givenUpAt: row.given_up_at,
  };
}

function changesFrom(text: string): readonly NativeChange[] {
  const value = parseJsonText(text);
  if (!isJsonArray(value)) throw new Error('A stored command holds no list of changes');
  return value.map((change) => {
    if (!isJsonObject(change) || !isJsonArray(change.path) || change.value === undefined) {
      throw new Error('A stored command holds something that is no change');
    }
    return { path: change.path.map(String), value: change.value };
  });
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
