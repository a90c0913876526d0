import type { CustomerTransaction } from '../../../database/transaction/store';
import { timeText } from '../../../database/transaction/time-text';
import { unmarkStale } from './stale-comparisons.repository';

/** Another instance processes the comparisons of the customer now. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The instance that processes a customer's comparisons. */
export interface Lease {
  readonly customerId: string;
  readonly owner: string;
  /** Milliseconds from each renewal. */
  readonly length: number;
}

/** How far a customer's comparisons follow the records, in one snapshot. */
export interface Progress {
  readonly fingerprint: string;
  /** The database's text of a time. */
  readonly changedUntil: string;
  /** The position of a walk over all objects; null without a walk. */
  readonly walked: string | null;
  /** Whether there are changes after that time. */
  readonly changed: boolean;
  /** Whether objects are marked. */
  readonly stale: boolean;
  /** Whether the refresh up to that time has noted its end, from which times in the past are shown. */
  readonly finished: boolean;
  /** Whether the counts of its cases follow each write of the comparisons. */
  readonly counted: boolean;
}

// A release without counts moves the end of the lease alone. So each of its writes shows, and the counts are made again.
const isCounted = 'coalesce(s.counted_until = s.lease_until, false)';
const renewed = `lease_until = now() + $3 * interval '1 millisecond',
       counted_until = now() + $3 * interval '1 millisecond' * case when ${isCounted} then 1 end`;

/** The progress of a customer's comparisons; undefined before the first refresh. */
export async function progressOf(tx: CustomerTransaction): Promise<Progress | undefined> {
  const [row] = await tx.query<{
    fingerprint: string;
    changed_until: string;
    walked: string | null;
    changed: boolean;
    stale: boolean;
    finished: boolean;
    counted: boolean;
  }>(
    `select s.fingerprint, s.changed_until::text as changed_until, s.walked, ${isCounted} as counted,
       exists (select from changes c where c.customer_id = $1 and c.at > s.changed_until) as changed,
       exists (select from stale_comparisons o where o.customer_id = $1) as stale,
       exists (select from comparison_marks m where m.customer_id = $1 and m.mark = s.changed_until) as finished
     from comparison_states s where s.customer_id = $1`,
  );
  if (row === undefined) return undefined;
  const { changed_until: changedUntil, ...progress } = row;
  return { ...progress, changedUntil };
}

/** Whether every object has been compared with the present terms, though some may have changed since. */
export function isMade(progress: Progress | undefined, fingerprint: string): progress is Progress {
  return progress?.fingerprint === fingerprint && progress.walked === null;
}

/**
 * Whether the comparisons include all changes of the records, in the snapshot of both, so that they also show this time
 * later on. Without a finished refresh, nothing proves that they were complete.
 */
export function isUpToDate(progress: Progress | undefined, fingerprint: string): boolean {
  return isMade(progress, fingerprint) && !progress.changed && !progress.stale && progress.finished;
}

/**
 * Takes the lease of a customer's comparisons, if it is free.
 *
 * @returns whether it was taken
 */
export async function takeLease(tx: CustomerTransaction, { owner, length }: Lease): Promise<boolean> {
  await tx.query(
    `insert into comparison_states (customer_id, fingerprint, changed_until, walked)
     values ($1, '', '-infinity', '') on conflict do nothing`,
  );
  const taken = await tx.query(
    `update comparison_states s set lease_owner = $2, ${renewed}
     where customer_id = $1 and (lease_owner is null or lease_until < now()) returning customer_id`,
    [owner, length],
  );
  return taken.length > 0;
}

/**
 * Renews the lease and locks it until the transaction ends, so that only its owner can write with it.
 *
 * @throws LeaseLost
 */
export async function holdLease(tx: CustomerTransaction, { owner, length }: Lease): Promise<void> {
  const held = await tx.query(
    `update comparison_states s set ${renewed}
     where customer_id = $1 and lease_owner = $2 returning customer_id`,
    [owner, length],
  );
  if (held.length === 0) throw new LeaseLost();
}

/** Releases the lease, if it is still held. */
export async function leaveLease(tx: CustomerTransaction, { owner }: Lease): Promise<void> {
  await tx.query(
    'update comparison_states set lease_owner = null where customer_id = $1 and lease_owner = $2',
    [owner],
  );
}

/** Records that all changes up to a time are marked. An earlier time than the recorded one is ignored. */
export async function followUntil(tx: CustomerTransaction, until: string): Promise<void> {
  await tx.query(
    `update comparison_states set changed_until = greatest(changed_until, $2::timestamptz) where customer_id = $1`,
    [until],
  );
}

/** Begins a new comparison of all objects, which includes the changes up to a time. */
export async function beginWalk(tx: CustomerTransaction, until: string, fingerprint: string): Promise<void> {
  await tx.query(
    `update comparison_states set changed_until = greatest(changed_until, $2::timestamptz), fingerprint = $3, walked = ''
     where customer_id = $1`,
    [until, fingerprint],
  );
  await unmarkStale(tx);
}

/**
 * Stores that the counts of cases match the stored cases. This holds as long as every write of cases also updates the
 * counts.
 */
export async function noteCounted(tx: CustomerTransaction): Promise<void> {
  await tx.query('update comparison_states set counted_until = lease_until where customer_id = $1');
}

/** Records the progress of a walk; null ends it. */
export async function walkedTo(tx: CustomerTransaction, walked: string | null): Promise<void> {
  await tx.query('update comparison_states set walked = $2 where customer_id = $1', [walked]);
}

const latestShownSql = `
  select ${timeText('greatest(s.changed_until, $2::timestamptz)')} as at from comparison_states s where s.customer_id = $1`;
/**
 * The latest time whose changes the comparisons include exactly, if they include all visible changes: a settled time,
 * or the time up to which they are marked, which was settled too.
 */
export async function latestShown(tx: CustomerTransaction, settled: string): Promise<string> {
  const [row] = await tx.query<{ at: string }>(latestShownSql, [settled]);
  if (row === undefined) throw new Error('Comparisons that follow the records have a state');
  return row.at;
}

/** Keeps refreshes from writing until the transaction ends. Each of their writes renews the lease in the same row. */
export async function lockComparisons(tx: CustomerTransaction): Promise<void> {
  await tx.query('select 1 from comparison_states where customer_id = $1 for update');
}
