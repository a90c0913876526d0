import { randomUUID } from 'node:crypto';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import type { ChangeCause } from './change-cause';

/** When a customer's comparisons are refreshed in the background; milliseconds. */
interface Pace {
  /** Time without a change and without a run under way after which the comparisons are refreshed. */
  readonly quiet: number;
  /** Time after which a change is included even if further changes keep coming. */
  readonly longestWait: number;
}

// Scalar subqueries, which the planner can only run row by row: a join or `exists` may read a whole table beside a short list.
// `offset 0` keeps it from looking for the latest time of a customer along the index of all times, which it takes for short
// while its statistics are those of an empty table.
const dueSql = `
  select d.customer_id from due_comparisons d
  where d.due_at <= now()
    and (select max(o.due_at) from (
      select due_at from due_comparisons where customer_id = d.customer_id offset 0) o) <= now()
    and (select count(*) from comparison_states s
         where s.customer_id = d.customer_id and s.lease_owner is not null and s.lease_until >= now()) = 0
    and (d.taken or d.since <= now() - $2 * interval '1 millisecond' or (
      (select count(*) from sync_runs r where r.customer_id = d.customer_id and r.status = 'running') = 0
      and coalesce((select max(h.at) from changes h where h.customer_id = d.customer_id), '-infinity')
        <= now() - $1 * interval '1 millisecond'))
  order by d.due_at
  limit $3`;

/**
 * Customers whose comparisons are behind their records and that no instance processes, the longest waiting first. Reads
 * across customers, and only customers that are behind.
 *
 * @param limit rows; a customer may have several
 */
export async function dueCustomers(
  store: Store,
  { quiet, longestWait }: Pace,
  limit: number,
): Promise<readonly string[]> {
  const rows = await store.query<{ customer_id: string }>(dueSql, [quiet, longestWait, limit]);
  return [...new Set(rows.map((row) => row.customer_id))];
}

/**
 * The age in seconds of the oldest change that the comparisons do not include yet; 0 if there is none. Reads across
 * customers that are due.
 */
export async function lagOfComparisons(store: Store): Promise<number> {
  const [row] = await store.query<{ lag: number | null }>(
    'select extract(epoch from now() - min(d.since))::float8 as lag from due_comparisons d',
  );
  return Math.max(0, row?.lag ?? 0);
}

/** Whether a customer's comparisons do not include all changes yet. */
export async function areBehind(tx: CustomerTransaction): Promise<boolean> {
  const rows = await tx.query('select 1 from due_comparisons where customer_id = $1 limit 1');
  return rows.length > 0;
}

/** Whether a customer is due now. Since it was found, another instance may have refreshed it, or failed to. */
export async function isDue(tx: CustomerTransaction): Promise<boolean> {
  const [row] = await tx.query<{ is_due: boolean | null }>(
    'select max(due_at) <= now() as is_due from due_comparisons where customer_id = $1',
  );
  return row?.is_due === true;
}

/** The instance that refreshes a customer's comparisons, and for how many milliseconds it holds the customer. */
interface RefreshLease {
  readonly owner: string;
  readonly length: number;
}

/** The database's times when a refresh takes a customer. */
interface Taking {
  readonly now: string;
  /** The refresh includes all changes up to this time. */
  readonly until: string;
}

/**
 * Replaces a customer's rows by one row for the refresh that begins. The row stays until the refresh is complete. If
 * the refresh ends early, also because its instance ended, the customer is due again after the lease. Changes later
 * than the refresh's, which occur while terms are being changed, get a new row.
 *
 * The caller holds the customer's lock exclusively.
 */
export function takeDue(
  tx: CustomerTransaction,
  { owner, length }: RefreshLease,
  { now, until }: Taking,
): void {
  tx.queryLater(
    `insert into due_comparisons (customer_id, id, since, due_at, taken)
     select c.id, $2::uuid, least(min(d.since), $3::timestamptz), $3::timestamptz + $4 * interval '1 millisecond', true
     from customers c left join due_comparisons d on d.customer_id = c.id
     where c.id = $1 and c.kind <> 'demo' group by c.id`,
    [owner, now, length],
  );
  tx.queryLater('delete from due_comparisons where customer_id = $1 and id <> $2', [owner]);
  tx.queryLater(
    `insert into due_comparisons (customer_id, id, since, due_at)
     select h.customer_id, h.id, h.at, h.at from changes h join customers c on c.id = h.customer_id
     where h.customer_id = $1 and h.at > $2::timestamptz and c.kind <> 'demo' order by h.at limit 1`,
    [until],
  );
}

/**
 * Deletes the row that a refresh took with {@link takeDue}, because the refresh is complete. Later changes have rows of
 * their own.
 */
export async function deleteTaken(
  tx: CustomerTransaction,
  { owner }: Pick<RefreshLease, 'owner'>,
): Promise<void> {
  await tx.query('delete from due_comparisons where customer_id = $1 and id = $2', [owner]);
}

/** Postpones a customer, regardless of further changes. */
export async function postpone(tx: CustomerTransaction, milliseconds: number): Promise<void> {
  await tx.query(
    `update due_comparisons set due_at = now() + $2 * interval '1 millisecond' where customer_id = $1`,
    [milliseconds],
  );
}

/** Marks a customer as behind although nothing has changed. */
export async function noteBehind(tx: CustomerTransaction): Promise<void> {
  await tx.query(
    `insert into due_comparisons (customer_id, id, since, due_at, taken)
     select c.id, $2::uuid, now(), now(), true from customers c
     where c.id = $1 and c.kind <> 'demo' and not exists (select from due_comparisons d where d.customer_id = c.id)`,
    [randomUUID()],
  );
}

/** Customers with comparisons, after a given one in the order of their IDs. Reads across customers. */
export async function comparedCustomers(
  store: Store,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await store.query<{ customer_id: string }>(
    `select s.customer_id from comparison_states s join customers c on c.id = s.customer_id
     where c.kind <> 'demo' and s.customer_id > $1::uuid order by s.customer_id limit $2`,
    [after, limit],
  );
  return rows.map((row) => row.customer_id);
}

/**
 * SQL for whether the comparisons of the customer, `$1`, are marked as behind by a row that no refresh has taken.
 *
 * A refresh includes only committed changes, and a change holds the customer's lock until its commit. So if a change sees
 * such a row under that lock, the refresh that takes the row also sees the change.
 */
export const COMPARISONS_ARE_DUE =
  'exists (select from due_comparisons d where d.customer_id = $1 and not d.taken)';

const dueOnce = `
  insert into due_comparisons (customer_id, id, since, due_at)
  select c.id, $2::uuid, $3::timestamptz, $3::timestamptz from customers c
  where c.id = $1 and c.kind <> 'demo' and not ${COMPARISONS_ARE_DUE}`;

// A change of terms holds no lock that a refresh waits for. A refresh may take an existing row before the change commits,
// so the change always inserts a row of its own.
const dueApart = `
  insert into due_comparisons (customer_id, id, since, due_at)
  select c.id, $2::uuid, $3::timestamptz, $3::timestamptz from customers c where c.id = $1 and c.kind <> 'demo'`;

/** Stores, with the commit at the latest, that the customer's comparisons are behind from the time of a change. */
export function noteDue(tx: CustomerTransaction, { id, at }: ChangeCause): void {
  tx.queryLater(dueOnce, [id, at]);
}

/** Like {@link noteDue}, for a change of terms, which does not hold the customer's lock. */
export function noteDueUnlocked(tx: CustomerTransaction, { id, at }: ChangeCause): void {
  tx.queryLater(dueApart, [id, at]);
}
