import { isLockFailure } from '../../database/connection/database-errors';
import {
  customersWithOlderRows,
  type CustomersWithOlderRows,
  type OlderRow,
} from '../../database/transaction/older-rows';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { UnitOfWork, UnitOfWorkOptions } from '../../database/transaction/unit-of-work';
import type { Store } from '../../database/transaction/store';
import type { ReplayableResponse } from '../response/handler-results';
import { KEPT_FOR } from './keyed-request';

/** Milliseconds after which a request without a renewed lease counts as dead. */
export const LEASE = 5_000;

/** The stored state of a key. */
export interface KnownKey {
  /** Digest of the request that took the key. */
  readonly digest: string;
  /** ID of the claim of that request. */
  readonly owner: string;
  /** The name of the effect, from which the response is made; null if none is stored. */
  readonly subject: string | null;
  /** The status of the stored response; null if none is stored. */
  readonly status: number | null;
  /** The stored response as JSON text; null if none is stored. */
  readonly body: string | null;
  /** Whether the request is in progress: its lease has not expired. */
  readonly running: boolean;
  /** Whether the request has reported its end. One that has not may still run after its lease, unless its process is gone. */
  readonly has_ended: boolean;
  /** Whether the entry has expired. */
  readonly is_over: boolean;
}

/** A key's row is addressed by the customer, the key and the request that owns it. */
const OWN = 'customer_id = $1 and key = $2 and owner = $3';

/** The request that owns a key. */
export interface KeyOwner {
  readonly customerId: string;
  readonly key: string;
  readonly owner: string;
}

function ownOf({ customerId, key, owner }: KeyOwner): readonly string[] {
  return [customerId, key, owner];
}

/** Locks a key until the transaction ends. @returns whether the request still owns it */
export async function lockKey(store: Store, owner: KeyOwner): Promise<boolean> {
  const rows = await store.query(`select 1 from idempotency_keys where ${OWN} for update`, ownOf(owner));
  return rows.length > 0;
}

/** Stores the response under a key, with the commit. */
export function storeResponse(store: Store, owner: KeyOwner, { status, text }: ReplayableResponse): void {
  store.queryLater(`update idempotency_keys set lease_until = null, status = $4, body = $5 where ${OWN}`, [
    ...ownOf(owner),
    status,
    text,
  ]);
}

/** Stores the name of the effect under a key, with the commit. @param subject null to forget it */
export function nameEffect(store: Store, owner: KeyOwner, subject: string | null): void {
  store.queryLater(`update idempotency_keys set subject = $4 where ${OWN}`, [...ownOf(owner), subject]);
}

/** A page of customers with keys that were taken before a time. Reads across customers. */
export function customersWithOldKeys(
  store: Store,
  oldest: Date,
  after?: OlderRow,
): Promise<CustomersWithOlderRows> {
  return customersWithOlderRows(store, { table: 'idempotency_keys', time: 'created_at' }, oldest, after);
}

/** Deletes keys that were taken before a time. Keys of requests in progress stay. */
export async function deleteOldKeys(tx: CustomerTransaction, oldest: Date): Promise<void> {
  await tx.query(
    `delete from idempotency_keys where customer_id = $1 and created_at <= $2
       and (lease_until is null or lease_until < now())`,
    [oldest],
  );
}

/** The number of a customer's keys, and the bytes of the responses that are stored under them. */
export interface KeyUsage {
  readonly keys: number;
  readonly bytes: number;
  /** When the oldest of them was taken; null without one. */
  readonly oldest: Date | null;
}

/** Counts the keys of a customer that were taken since a time, `most` at most: more need not be counted. */
export async function countKeys(
  tx: CustomerTransaction,
  since: Date,
  most: number,
): Promise<KeyUsage | undefined> {
  // The length of a text is available without reading the text.
  const [row] = await tx.query<KeyUsage>(
    `select count(*)::int as keys, coalesce(sum(octet_length(k.body)), 0)::float8 as bytes, (
       select min(o.created_at) from idempotency_keys o where o.customer_id = $1 and o.created_at > $2
     ) as oldest
     from (select body from idempotency_keys where customer_id = $1 and created_at > $2 limit $3) k`,
    [since, most],
  );
  return row;
}

const find = `
  select digest, owner, subject, status, body, lease_until is not null and lease_until >= now() as running,
    lease_until is null as has_ended,
    (lease_until is null or lease_until < now()) and created_at <= now() - ${KEPT_FOR} * interval '1 millisecond' as is_over
  from idempotency_keys where customer_id = $1 and key = $2`;

/** The stored state of a key; undefined when it is free. */
export async function findKey(
  unitOfWork: Pick<UnitOfWork, 'runTogether'>,
  customerId: string,
  key: string,
): Promise<KnownKey | undefined> {
  const [[known]] = await unitOfWork.runTogether<[KnownKey]>(
    [{ sql: find, parameters: [customerId, key] }],
    withoutWaiting(customerId),
  );
  return known;
}

/**
 * Takes a free key, in one round trip. Other requests see the row at once.
 *
 * @returns whether the key was free, and its stored state if it was not, which is undefined if the key was released at this
 *   moment
 */
export async function insertKey(
  unitOfWork: Pick<UnitOfWork, 'runTogether'>,
  { customerId, key, owner }: KeyOwner,
  digest: string,
): Promise<{ readonly isTaken: boolean; readonly known: KnownKey | undefined }> {
  const [taken, [known]] = await unitOfWork.runTogether<[{ owner: string }, KnownKey]>(
    [
      {
        sql: `insert into idempotency_keys (customer_id, key, digest, owner, lease_until, created_at)
              values ($1, $2, $3, $4, now() + $5 * interval '1 millisecond', now())
              on conflict (customer_id, key) do nothing returning owner`,
        parameters: [customerId, key, digest, owner, LEASE],
      },
      { sql: find, parameters: [customerId, key] },
    ],
    withoutWaiting(customerId),
  );
  return { isTaken: taken.length > 0, known };
}

/** Takes over a key whose request is dead or whose entry has expired. @returns false if its state has changed */
export async function takeOverKey(
  unitOfWork: Pick<UnitOfWork, 'runTogether'>,
  { customerId, key, owner }: KeyOwner,
  digest: string,
  known: KnownKey,
): Promise<boolean> {
  const [taken] = await unitOfWork.runTogether<[{ owner: string }]>(
    [
      {
        sql: `update idempotency_keys set digest = $3, owner = $4, lease_until = now() + $5 * interval '1 millisecond',
                created_at = now(), subject = null, status = null, body = null
              where customer_id = $1 and key = $2 and owner = $6 and (lease_until is null or lease_until < now())
                and subject is not distinct from $7 and status is not distinct from $8
              returning owner`,
        parameters: [
          ...[customerId, key, digest, owner, LEASE],
          ...[known.owner, known.subject, known.status],
        ],
      },
    ],
    withoutWaiting(customerId),
  );
  return taken.length > 0;
}

/** Ends a request with or without a response. Without one, the stored name of the effect remains, if any. */
export async function endKey(
  unitOfWork: Pick<UnitOfWork, 'runTogether'>,
  owner: KeyOwner,
  subject: string | undefined,
  answer?: { readonly status: number; readonly text: string },
): Promise<void> {
  await unitOfWork.runTogether(
    [
      {
        sql: `update idempotency_keys set lease_until = null, subject = coalesce($4, subject),
                status = coalesce($5, status), body = coalesce($6, body)
              where ${OWN}`,
        parameters: [...ownOf(owner), subject ?? null, answer?.status ?? null, answer?.text ?? null],
      },
    ],
    { customerId: owner.customerId },
  );
}

/** Releases a key, unless a response or a name was stored under it. */
export async function releaseKey(
  unitOfWork: Pick<UnitOfWork, 'runTogether'>,
  owner: KeyOwner,
): Promise<void> {
  await unitOfWork.runTogether(
    [
      {
        sql: `delete from idempotency_keys where ${OWN} and status is null and subject is null`,
        parameters: ownOf(owner),
      },
      { sql: `update idempotency_keys set lease_until = null where ${OWN}`, parameters: ownOf(owner) },
    ],
    { customerId: owner.customerId },
  );
}

/**
 * Renews the lease of a request in progress. If the request's own transaction holds the lock of the row, no renewal is
 * needed, because no other request can take the key over.
 */
export async function renewKey(unitOfWork: Pick<UnitOfWork, 'runTogether'>, owner: KeyOwner): Promise<void> {
  try {
    await unitOfWork.runTogether(
      [
        {
          sql: `update idempotency_keys set lease_until = now() + $4 * interval '1 millisecond'
                where ${OWN} and lease_until is not null`,
          parameters: [...ownOf(owner), LEASE],
        },
      ],
      withoutWaiting(owner.customerId),
    );
  } catch (error) {
    if (!isLockFailure(error)) throw error;
  }
}

/** The transaction that locks a key's row is about to answer it, so waiting is useless. */
function withoutWaiting(customerId: string): UnitOfWorkOptions {
  return { customerId, lockWaitMs: 0 };
}
