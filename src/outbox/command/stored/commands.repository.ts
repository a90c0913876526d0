import { stringifyJson, type JsonValue } from '@app/mapper';
import type { CustomerTransaction, Store } from '../../../database/transaction/store';
import type { RequestContext } from '../../../runtime/tracing/request-context';
import { causeText } from './command-cause';
import { ForbiddenTransition } from '../../../database/state-machine';
import { refreshStates } from '../../history/propagations.repository';
import { commandStates } from '../command-states';
import { progressText, type PartialProgress } from '../partial/partial-progress';
import type { FinalStatus, OutboxCommand, StoredCommand } from '../outbox-command';
import { changesText } from '../stored-changes';
import { databaseTime } from '../../../database/transaction/database-time';
import { commandColumns, commandFrom, type CommandRow } from './command-row';

/**
 * Stores commands in the order in which they are to be sent, with the commit at the latest. A command with a final
 * status is stored as history.
 *
 * @param commands in sending order
 * @param origin the request that makes the change, and the database's time
 */
export function insertCommands(
  tx: CustomerTransaction,
  commands: readonly OutboxCommand[],
  { request, at }: { readonly request: RequestContext; readonly at: string },
): void {
  // One by one: the order of insertion is the order of sending.
  for (const command of commands) {
    tx.queryLater(
      `insert into outbox_commands (customer_id, id, propagation_id, position, platform, entity_type, canonical_id,
         platform_id, variant, status, reason, changes, base, referred, predicted, recording, decided_at, mode, waits_for,
         cause)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
      [
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
        command.status === 'waiting' ? null : at,
        command.mode,
        command.waitsFor.length > 0 ? command.waitsFor : null,
        causeText(request),
      ],
    );
  }
}

/** Stores a command whose references to created records were resolved, so that it waits for no other command. */
export async function saveResolved(
  tx: CustomerTransaction,
  { id, changes, referred, predicted, recording }: StoredCommand,
): Promise<void> {
  await tx.query(
    `update outbox_commands set changes = $3, referred = $4, predicted = $5, recording = $6, waits_for = null
     where customer_id = $1 and id = $2`,
    [id, changesText(changes), stringifyJson(referred), stringifyJson(predicted), JSON.stringify(recording)],
  );
}

/**
 * Replaces the changes of a command by changes for the present record, and makes it due at once.
 *
 * @throws ForbiddenTransition
 */
export async function rebase(
  tx: CustomerTransaction,
  {
    id,
    propagationId,
    platformId,
    changes,
    base,
    predicted,
    reason,
    conflicts,
    recording,
    waitsFor,
    status,
  }: StoredCommand,
): Promise<void> {
  const rebased = await tx.execute(
    `update outbox_commands set changes = $3, base = $4, predicted = $5, reason = $6, conflicts = $7, recording = $8,
       platform_id = $9, waits_for = $10, status = 'waiting', not_before = now(), lease_owner = null, lease_until = null
     where customer_id = $1 and id = $2 and ${commandStates.before('waiting')}`,
    [
      id,
      changesText(changes),
      base === undefined ? null : stringifyJson(base),
      stringifyJson(predicted),
      reason,
      conflicts,
      JSON.stringify(recording),
      platformId,
      waitsFor.length > 0 ? waitsFor : null,
    ],
  );
  if (rebased === 0) throw new ForbiddenTransition(`Command ${id}`, 'waiting');
  if (status === 'uncertain') await refreshStates(tx, [propagationId]);
}

/** Stores the effects of a command so far. */
export async function keepProgress(
  tx: CustomerTransaction,
  id: string,
  made: PartialProgress,
): Promise<void> {
  await tx.query('update outbox_commands set made = $3 where customer_id = $1 and id = $2', [
    id,
    progressText(made),
  ]);
}

/**
 * Decides a command.
 *
 * @throws ForbiddenTransition
 */
export async function decide(
  tx: CustomerTransaction,
  id: string,
  status: FinalStatus,
  reason: string | null,
): Promise<void> {
  const decided = await tx.execute(
    `update outbox_commands set status = $3, reason = $4, decided_at = now(), lease_owner = null, lease_until = null
     where customer_id = $1 and id = $2 and ${commandStates.before(status)}`,
    [id, status, reason],
  );
  if (decided === 0) throw new ForbiddenTransition(`Command ${id}`, status);
}

/** The lease of a claimed command in milliseconds. The dispatcher renews it while it sends the command. */
export const LEASE_MS = 30_000;
/**
 * Milliseconds after which an attempt is aborted. This is less than the lease. When another instance claims the
 * command of a crashed instance, the crashed instance's request has ended, so settling cannot come before the effect.
 */
export const SEND_LIMIT_MS = 25_000;
/**
 * SQL for the time at which a command's attempt was given up: now, or the attempt's limit if that is earlier.
 *
 * @param now the statement parameter that holds the present time, such as `$5`
 * @param limit the statement parameter that holds the limit in milliseconds
 */
function sendingEnded(now: string, limit: string): string {
  // A sum of a time and an interval depends on the time zone, and a cluster refuses it within CASE.
  return `least(${now}::timestamptz,
    to_timestamp(extract(epoch from sent_at - timestamptz 'epoch')::float8 + ${limit}::float8 / 1000))`;
}

/**
 * SQL for the commands that must be decided before a command `c`: earlier commands of its change or its record, and
 * commands that create what it refers to.
 */
export const goesBefore = `e.customer_id = c.customer_id and e.decided_at is null
  and (e.id = any(c.waits_for)
    or (e.seq < c.seq
      and (e.propagation_id = c.propagation_id or (e.canonical_id = c.canonical_id and e.platform = c.platform))))`;
/**
 * SQL condition: a command `c` may be claimed now. It is due, no other command goes before it, and no other command
 * for the same record is being sent or settled. The latter may be a later command: a held command that an operator
 * reopens goes before commands that were accepted since. Each part has an index of open commands.
 *
 * @param customer SQL for the customer of the command
 */
const claimable = (customer: string): string => `
  c.decided_at is null and c.not_before <= now() and (c.lease_until is null or c.lease_until < now())
  and not exists (
    select 1 from outbox_commands e where e.customer_id = ${customer} and e.decided_at is null
      and e.propagation_id = c.propagation_id and e.seq < c.seq)
  and not exists (
    select 1 from outbox_commands e where e.customer_id = ${customer} and e.decided_at is null
      and e.canonical_id = c.canonical_id and e.platform = c.platform and e.id <> c.id
      and (e.seq < c.seq or e.lease_until > now()))
  and not exists (
    select 1 from outbox_commands e where e.customer_id = ${customer} and e.decided_at is null
      and e.id = any(c.waits_for))`;
const customersBehind = `
  select c.customer_id from outbox_commands c
  where c.customer_id > $1::uuid and c.customer_id <= $2::uuid and c.customer_id <> all ($3::uuid[])
    and ${claimable('c.customer_id')}
  group by c.customer_id order by c.customer_id limit $4`;
const [FIRST_ID, LAST_ID] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/**
 * Selects customers with a command that may be claimed now, in round-robin order: customers after a given ID, then
 * those from the beginning. So every customer has its turn, however many commands others have. Reads across
 * customers.
 *
 * @param after the customer that had the last turn
 * @param except customers that may not have more now
 */
export async function customersInTurn(
  store: Store,
  { after, except }: { readonly after: string; readonly except: readonly string[] },
  limit: number,
): Promise<readonly string[]> {
  const find = async (from: string, until: string): Promise<readonly string[]> => {
    const rows = await store.query<{ customer_id: string }>(customersBehind, [from, until, except, limit]);
    return rows.map(({ customer_id }) => customer_id);
  };
  const behind = await find(after, LAST_ID);
  if (behind.length === limit) return behind;
  return [...behind, ...(await find(FIRST_ID, after))].slice(0, limit);
}

/** The owner and the time of a claim. */
interface ClaimedBy {
  /** See `ClaimOwners`. */
  readonly owner: string;
  /** The database's time. */
  readonly now: Date;
}

/**
 * Claims commands of one customer that no other command goes before: no earlier command for the same record, no
 * earlier command of the same change, and no command that creates what it refers to. The commands that are due
 * longest come first, so a command that is deferred repeatedly does not delay others.
 *
 * If a lease expired while the command was being sent, the command becomes uncertain. If it expired while the command
 * was being settled, settling may have sent calls, so the attempt ends only now. The notes of a creation with an
 * unknown outcome are kept, because the creation may still take effect.
 */
export async function claimCommands(
  tx: CustomerTransaction,
  { owner, now }: ClaimedBy,
  limit: number,
): Promise<readonly StoredCommand[]> {
  const rows = await tx.query<CommandRow>(
    `update outbox_commands set
       status = case when status = 'waiting' then 'sending' else 'uncertain' end,
       lease_owner = $2, lease_until = now() + $4 * interval '1 millisecond',
       sent_at = case when status = 'waiting' then $5::timestamptz else sent_at end,
       given_up_at = case when status = 'waiting' and platform_id is not null then null
         when status = 'sending' then ${sendingEnded('$5', '$6')}
         when status = 'uncertain' and lease_owner is not null then $5::timestamptz else given_up_at end,
       checks = case when status = 'waiting' then 0 else checks + 1 end,
       notes = case when status = 'waiting' and (platform_id is not null or given_up_at is null) then null else notes end,
       attempts = attempts + 1, put_off = null
     where customer_id = $1 and id in (
       select c.id from outbox_commands c
       where c.customer_id = $1 and ${claimable('$1')}
       order by c.not_before, c.seq limit $3 for update skip locked)
     returning ${commandColumns}`,
    [owner, limit, LEASE_MS, now, SEND_LIMIT_MS],
  );
  const commands = rows.map(commandFrom);
  const uncertain = commands.filter(({ status }) => status === 'uncertain');
  await refreshStates(
    tx,
    uncertain.map(({ propagationId }) => propagationId),
  );
  return commands;
}

/**
 * Renews the lease of a command.
 *
 * @returns whether the owner still had the lease; false if another instance has claimed the command
 */
export async function renewLease(tx: CustomerTransaction, id: string, owner: string): Promise<boolean> {
  const renewed = await tx.execute(
    `update outbox_commands set lease_until = now() + $4 * interval '1 millisecond'
     where customer_id = $1 and id = $2 and lease_owner = $3 and decided_at is null`,
    [id, owner, LEASE_MS],
  );
  return renewed > 0;
}

/** How an undecided command goes back into the queue. */
export interface PutBack {
  /** `waiting`: to be sent; `uncertain`: to be settled. */
  readonly as: 'waiting' | 'uncertain';
  /** The command is not due before this time. */
  readonly until: Date;
  /** The reason, for people. */
  readonly reason?: string;
  /** The effects so far, if there are more than before. */
  readonly made?: PartialProgress;
  /** Whether settling has sent calls. The attempt then ends only now. */
  readonly hasSent?: boolean;
  /** Whether nothing was ever sent, although an attempt was given up. The command then counts as one without an attempt. */
  readonly isUnsent?: boolean;
}

/** Releases a claimed command that is not decided. */
export async function putBack(
  tx: CustomerTransaction,
  id: string,
  owner: string,
  { as, until, reason, made, hasSent = false, isUnsent = false }: PutBack,
): Promise<void> {
  const rows = await tx.query<{ propagation_id: string }>(
    `update outbox_commands set status = $4, not_before = $5, put_off = $6, lease_owner = null, lease_until = null,
       given_up_at = case when $10 then null
         when (status = 'sending' and $4 = 'uncertain') or $9 then $7::timestamptz else given_up_at end,
       made = coalesce($8, made)
     where customer_id = $1 and id = $2 and lease_owner = $3 and ${commandStates.before(as)} and decided_at is null
     returning propagation_id`,
    [
      id,
      owner,
      as,
      until,
      reason ?? null,
      await databaseTime(tx.store),
      made === undefined ? null : progressText(made),
      hasSent,
      isUnsent,
    ],
  );
  await refreshStates(
    tx,
    rows.map(({ propagation_id }) => propagation_id),
  );
}

/**
 * Stores the notes of a connector before it sends a command.
 *
 * @returns whether the command may be sent; false if another instance has claimed it
 */
export async function keepNotes(
  tx: CustomerTransaction,
  id: string,
  owner: string,
  notes: JsonValue,
): Promise<boolean> {
  const rows = await tx.query(
    `update outbox_commands set notes = $4, lease_until = now() + $5 * interval '1 millisecond'
     where customer_id = $1 and id = $2 and lease_owner = $3 and status = 'sending' and decided_at is null
     returning id`,
    [id, owner, stringifyJson(notes), LEASE_MS],
  );
  return rows.length > 0;
}

/**
 * Reopens a command: to be sent, or to be settled first. It is due at once. A lease that has expired is treated as in
 * {@link claimCommands}.
 *
 * @param isAnew whether it is sent as if there had been no attempt
 * @throws ForbiddenTransition
 */
export async function reopen(
  tx: CustomerTransaction,
  id: string,
  status: 'waiting' | 'uncertain',
  { made, isAnew }: { readonly made: PartialProgress; readonly isAnew: boolean },
): Promise<void> {
  const now = await databaseTime(tx.store);
  const reopened = await tx.execute(
    `update outbox_commands set status = $3, decided_at = null, not_before = now(), put_off = null, attempts = 0,
       checks = 0, reason = case when status = 'held' then null else reason end, lease_owner = null, lease_until = null,
       made = $4, notes = case when $5 then null else notes end,
       given_up_at = case when $5 then null
         when status = 'sending' then ${sendingEnded('$6', '$7')}
         when status = 'uncertain' and lease_owner is not null then $6::timestamptz else given_up_at end
     where customer_id = $1 and id = $2 and ${commandStates.before(status)}`,
    [id, status, progressText(made), isAnew, now, SEND_LIMIT_MS],
  );
  if (reopened === 0) throw new ForbiddenTransition(`Command ${id}`, status);
}

/** Deletes decided commands of changes that are deleted, if they were decided before a time. Held commands stay. */
export async function deleteOldCommands(tx: CustomerTransaction, oldest: Date): Promise<void> {
  await tx.query(
    `delete from outbox_commands c where c.customer_id = $1 and c.decided_at < $2 and c.status <> 'held'
       and not exists (select 1 from propagations p where p.customer_id = $1 and p.id = c.propagation_id)`,
    [oldest],
  );
}
