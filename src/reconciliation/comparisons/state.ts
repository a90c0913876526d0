import type { Store } from '../../database/transaction/store';

/** Somebody else works on the comparisons of the customer now. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Who works on a customer's comparisons. */
export interface Lease {
  readonly customerId: string;
  readonly owner: string;
  /** Milliseconds from each sign of life. */
  readonly length: number;
}

/** How far a customer's comparisons follow the records, in one snapshot. */
export interface Progress {
  readonly fingerprint: string;
  /** The database's text of a time. */
  readonly changedUntil: string;
  /** Where a walk over all objects stands; null when there is none. */
  readonly walked: string | null;
  /** Whether there are changes behind that time. */
  readonly changed: boolean;
  /** Whether objects are marked. */
  readonly stale: boolean;
}

/** How far the comparisons follow; undefined before the first refresh. */
export async function progressOf(store: Store, customerId: string): Promise<Progress | undefined> {
  const [row] = await store.query<{
    fingerprint: string;
    changed_until: string;
    walked: string | null;
    changed: boolean;
    stale: boolean;
  }>(
    `select s.fingerprint, s.changed_until::text as changed_until, s.walked,
       exists (select from changes c where c.customer_id = $1 and c.at > s.changed_until) as changed,
       exists (select from stale_comparisons o where o.customer_id = $1) as stale
     from comparison_states s where s.customer_id = $1`,
    [customerId],
  );
  if (row === undefined) return undefined;
  const { fingerprint, changed_until: changedUntil, walked, changed, stale } = row;
  return { fingerprint, changedUntil, walked, changed, stale };
}

/** Whether every object has been compared by the present terms, though some may have changed since. */
export function isMade(progress: Progress | undefined, fingerprint: string): progress is Progress {
  return progress?.fingerprint === fingerprint && progress.walked === null;
}

/** Whether the comparisons are those of the records, in the snapshot of both. */
export function isUpToDate(progress: Progress | undefined, fingerprint: string): boolean {
  return isMade(progress, fingerprint) && !progress.changed && !progress.stale;
}

/** Objects that are marked, some of them where they are more than wanted. */
export async function staleObjects(
  store: Store,
  customerId: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await store.query<{ id: string }>(
    'select object_id as id from stale_comparisons where customer_id = $1 order by object_id limit $2',
    [customerId, limit],
  );
  return rows.map(({ id }) => id);
}

/**
 * Takes the lease of a customer's comparisons, where nobody has it.
 *
 * @returns whether it was given
 */
export async function takeLease(store: Store, { customerId, owner, length }: Lease): Promise<boolean> {
  await store.query(
    `insert into comparison_states (customer_id, fingerprint, changed_until, walked)
     values ($1, '', '-infinity', '') on conflict do nothing`,
    [customerId],
  );
  const taken = await store.query(
    `update comparison_states set lease_owner = $2, lease_until = now() + $3 * interval '1 millisecond'
     where customer_id = $1 and (lease_owner is null or lease_until < now()) returning customer_id`,
    [customerId, owner, length],
  );
  return taken.length > 0;
}

/**
 * Renews the lease and locks it until the transaction ends, so that what is written with it is written by its owner.
 *
 * @throws LeaseLost
 */
export async function holdLease(store: Store, { customerId, owner, length }: Lease): Promise<void> {
  const held = await store.query(
    `update comparison_states set lease_until = now() + $3 * interval '1 millisecond'
     where customer_id = $1 and lease_owner = $2 returning customer_id`,
    [customerId, owner, length],
  );
  if (held.length === 0) throw new LeaseLost();
}

/** Gives the lease back, if it is still held. */
export async function leaveLease(store: Store, { customerId, owner }: Lease): Promise<void> {
  await store.query(
    'update comparison_states set lease_owner = null where customer_id = $1 and lease_owner = $2',
    [customerId, owner],
  );
}

/** Notes that all changes until a time are marked; never an earlier time than before. */
export async function followUntil(store: Store, { customerId }: Lease, until: string): Promise<void> {
  await store.query(
    `update comparison_states set changed_until = greatest(changed_until, $2::timestamptz) where customer_id = $1`,
    [customerId, until],
  );
}

/** Begins to compare all objects anew; the changes until a time are among it. */
export async function beginWalk(
  store: Store,
  { customerId }: Lease,
  until: string,
  fingerprint: string,
): Promise<void> {
  await store.query(
    `update comparison_states set changed_until = greatest(changed_until, $2::timestamptz), fingerprint = $3, walked = ''
     where customer_id = $1`,
    [customerId, until, fingerprint],
  );
  await store.query('delete from stale_comparisons where customer_id = $1', [customerId]);
}

/** Notes how far a walk has come; null ends it. */
export async function walkedTo(store: Store, { customerId }: Lease, walked: string | null): Promise<void> {
  await store.query('update comparison_states set walked = $2 where customer_id = $1', [customerId, walked]);
}
