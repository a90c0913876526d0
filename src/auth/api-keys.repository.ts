import { randomUUID } from 'node:crypto';
import type { Store } from '../database/store';
import { generateKey, hashKey, hintOf, type KeyMode } from './api-key';
import type { Customer } from './customer';

/** What is stored of a key. */
export interface ApiKeyRow {
  readonly id: string;
  readonly customer_id: string;
  readonly mode: KeyMode;
  readonly hint: string;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
  /** From then on the key is void, by the database's clock; null for one that has no end. */
  readonly expires_at: Date | null;
}

const COLUMNS = 'id, customer_id, mode, hint, created_at, revoked_at, expires_at';

/** Whether a row `k` of api_keys is a key that opens something. */
export const KEY_IN_USE = '(k.revoked_at is null and (k.expires_at is null or k.expires_at > now()))';

/** A key as its owner gets it, once. */
export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

/** The stored key of a hash, with the customer it belongs to; revoked and expired ones are not found. */
export async function findKeyByHash(store: Store, hash: string) {
  const [row] = await store.query<{
    id: string;
    hash: string;
    mode: KeyMode;
    customer_id: string;
    kind: Customer['kind'];
  }>(
    `select k.id, k.hash, k.mode, k.customer_id, c.kind
       from api_keys k join customers c on c.id = k.customer_id
      where k.hash = $1 and ${KEY_IN_USE}`,
    [hash],
  );
  return row;
}

export async function insertCustomer(store: Store, name: string, kind: Customer['kind']): Promise<Customer> {
  const id = randomUUID();
  await store.query('insert into customers (id, name, kind) values ($1, $2, $3)', [id, name, kind]);
  return { id, kind };
}

export async function findCustomer(store: Store, customerId: string): Promise<Customer | undefined> {
  const [row] = await store.query<Customer>('select id, kind from customers where id = $1', [customerId]);
  return row;
}

/** Makes a key for a customer and stores its hash. */
export async function insertKey(store: Store, customerId: string, mode: KeyMode): Promise<IssuedKey> {
  const id = randomUUID();
  const key = generateKey(mode);
  await store.query('insert into api_keys (id, customer_id, mode, hash, hint) values ($1, $2, $3, $4, $5)', [
    id,
    customerId,
    mode,
    hashKey(key),
    hintOf(key),
  ]);
  return { id, key };
}

/** The keys of a customer, oldest first, void ones included. */
export function listKeys(store: Store, customerId: string): Promise<ApiKeyRow[]> {
  return store.query<ApiKeyRow>(
    `select ${COLUMNS} from api_keys where customer_id = $1 order by created_at, id`,
    [customerId],
  );
}

/** Revokes a key; the time of a revocation stays when it is revoked again. Undefined when there is no such key. */
export async function revokeKey(store: Store, keyId: string): Promise<ApiKeyRow | undefined> {
  const [row] = await store.query<ApiKeyRow>(
    `update api_keys set revoked_at = coalesce(revoked_at, now()) where id = $1
     returning ${COLUMNS}`,
    [keyId],
  );
  return row;
}

/** A key, held until the transaction ends so that nobody else ends it meanwhile, and whether its end has come. */
export async function lockKey(
  store: Store,
  keyId: string,
): Promise<(ApiKeyRow & { readonly expired: boolean }) | undefined> {
  const [row] = await store.query<ApiKeyRow & { expired: boolean }>(
    `select ${COLUMNS}, coalesce(expires_at <= now(), false) as expired from api_keys where id = $1 for update`,
    [keyId],
  );
  return row;
}

/** Gives a key its end, so many milliseconds from now. Undefined when there is no such key. */
export async function expireKey(
  store: Store,
  keyId: string,
  milliseconds: number,
): Promise<ApiKeyRow | undefined> {
  const [row] = await store.query<ApiKeyRow>(
    `update api_keys set expires_at = now() + $2 * interval '1 millisecond' where id = $1 returning ${COLUMNS}`,
    [keyId, milliseconds],
  );
  return row;
}
