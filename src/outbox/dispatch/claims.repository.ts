import { stringifyJson, type JsonValue } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import type { Store } from '../../database/transaction/store';
import { databaseTime } from '../../records/changes';
import { columns, commandFrom, type CommandRow } from '../command/command-row';
import { madeText, type MadeParts } from '../command/made-parts';
import type { StoredCommand } from '../command/outbox-command';

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
 * @param now the parameter that holds the time, like `limit` with milliseconds
 */
export function sendingEnded(now: string, limit: string): string {
  // Not the sum of a time and an interval: that depends on the time zone, and a cluster lets no such thing into a case.
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
       looks = case when status = 'waiting' then 0 else looks + 1 end,
       notes = case when status = 'waiting' and (platform_id is not null or given_up_at is null) then null else notes end,
       attempts = attempts + 1, put_off = null
     where customer_id = $1 and id in (
       select c.id from outbox_commands c
       where c.customer_id = $1 and ${claimable('$1')}
       order by c.not_before, c.seq limit $3 for update skip locked)
     returning ${columns}`,
    [owner, limit, LEASE_MS, now, SEND_LIMIT_MS],
  );
  return rows.map(commandFrom);
}

/** Renews the lease of a command. */
export async function renewLease(tx: CustomerTransaction, id: string, owner: string): Promise<void> {
  await tx.query(
    `update outbox_commands set lease_until = now() + $4 * interval '1 millisecond'
     where customer_id = $1 and id = $2 and lease_owner = $3 and decided_at is null`,
    [id, owner, LEASE_MS],
  );
}

/** How an undecided command goes back into the queue: to be sent or to be settled, not before a time. */
export interface PutBack {
  readonly as: 'waiting' | 'uncertain';
  readonly until: Date;
  /** The reason, for people. */
  readonly reason?: string;
  /** The effects so far, if there are more than before. */
  readonly made?: MadeParts;
  /** Whether settling has sent calls. The attempt then ends only now. */
  readonly hasSent?: boolean;
}

/** Releases a claimed command that is not decided. */
export async function putBack(
  tx: CustomerTransaction,
  id: string,
  owner: string,
  { as, until, reason, made, hasSent = false }: PutBack,
): Promise<void> {
  await tx.query(
    `update outbox_commands set status = $4, not_before = $5, put_off = $6, lease_owner = null, lease_until = null,
       given_up_at = case when (status = 'sending' and $4 = 'uncertain') or $9 then $7::timestamptz else given_up_at end,
       made = coalesce($8, made)
     where customer_id = $1 and id = $2 and lease_owner = $3 and decided_at is null`,
    [
      id,
      owner,
      as,
      until,
      reason ?? null,
      await databaseTime(tx.store),
      made === undefined ? null : madeText(made),
      hasSent,
    ],
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
