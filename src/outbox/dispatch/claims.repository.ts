import { stringifyJson, type JsonValue } from '@app/mapper';
import type { Store } from '../../database/transaction/store';
import { databaseTime } from '../../records/changes';
import { columns, commandFrom, type CommandRow } from '../command/command-row';
import { madeText, type MadeParts } from '../command/made-parts';
import type { StoredCommand } from '../command/outbox-command';

/** Milliseconds for which a command belongs to who claimed it. The lease is renewed while the command is sent. */
export const LEASE_MS = 30_000;

/**
 * Milliseconds after which an attempt is given up. Less than a lease: when another instance claims the command of one
 * that is not heard of any more, that one's request has ended, and no look at the platform comes before the effect.
 */
export const SEND_LIMIT_MS = 25_000;

/**
 * SQL for the moment when the attempt that a command is in was given up: now, or earlier at the limit.
 *
 * @param now the parameter that holds the time, like `limit` with milliseconds
 */
export function sendingEnded(now: string, limit: string): string {
  // Not the sum of a time and an interval: that depends on the time zone, and a cluster lets no such thing into a case.
  return `least(${now}::timestamptz,
    to_timestamp(extract(epoch from sent_at - timestamptz 'epoch')::float8 + ${limit}::float8 / 1000))`;
}

/** What has to be decided before a command `c`: an earlier one of its change or its record, and what it refers to. */
export const goesBefore = `e.customer_id = c.customer_id and e.decided_at is null
  and (e.id = any(c.waits_for)
    or (e.seq < c.seq
      and (e.propagation_id = c.propagation_id or (e.canonical_id = c.canonical_id and e.platform = c.platform))))`;

/**
 * SQL for the condition that a command `c` may be claimed now: it is due, nothing goes before it, and no other command for
 * the same record is being sent or looked for. That one may be a later one: a held command that an operator takes up again
 * comes before those that were accepted since. Each part has an index of open commands.
 *
 * @param customer SQL for the customer whose command it is
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
 * Customers with a command that may be claimed now, in turns: those behind one in the order of their IDs, then those from the
 * beginning. So each has its turn, however many others have older commands, and commands that wait for others cost nobody
 * theirs. Reads across customers.
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

/** Who claims commands, and when. */
interface ClaimedBy {
  readonly owner: string;
  /** The database's time. */
  readonly now: Date;
}

/**
 * Claims commands of one customer that nothing goes before: neither an earlier one for the same record nor an earlier
 * one of the same change, nor one that creates what it refers to. Those that are due for longest come first, so one that
 * is put off again and again keeps nobody else waiting. One that somebody was sending when the lease ended is uncertain
 * now; where that one was looking, its look may have sent what was missing, so the attempt ends only now. What was noted before a creation whose end nobody knew stays: it may still have its effect, and later than anybody
 * looked.
 */
export async function claimCommands(
  store: Store,
  customerId: string,
  { owner, now }: ClaimedBy,
  limit: number,
): Promise<readonly StoredCommand[]> {
  const rows = await store.query<CommandRow>(
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
    [customerId, owner, limit, LEASE_MS, now, SEND_LIMIT_MS],
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
  /** What it has made by now, where that is more than before. */
  readonly made?: MadeParts;
  /** Whether a look has sent calls of its own: the attempt ends only now. */
  readonly hasSent?: boolean;
}

/** Gives a command back, undecided: to be looked at again after a while. */
export async function putBack(
  store: Store,
  customerId: string,
  id: string,
  owner: string,
  { as, until, reason, made, hasSent = false }: PutBack,
): Promise<void> {
  await store.query(
    `update outbox_commands set status = $4, not_before = $5, put_off = $6, lease_owner = null, lease_until = null,
       given_up_at = case when (status = 'sending' and $4 = 'uncertain') or $9 then $7::timestamptz else given_up_at end,
       made = coalesce($8, made)
     where customer_id = $1 and id = $2 and lease_owner = $3 and decided_at is null`,
    [
      customerId,
      id,
      owner,
      as,
      until,
      reason ?? null,
      await databaseTime(store),
      made === undefined ? null : madeText(made),
      hasSent,
    ],
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
