import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import type { Store } from '../../database/transaction/store';
import type { SealedKey, SealedPlace } from './envelope';

/** The tables with sealed rows. Each has the columns `sealed_key` and `master_key_id`. */
export const sealedTables = [
  'live_connections',
  'platform_tokens',
] as const satisfies readonly SealedPlace['table'][];

/** A sealed key, and the row that it belongs to. */
export interface PlacedKey extends SealedKey {
  readonly place: SealedPlace;
}

/** The master keys that anything is sealed with. Reads across customers. */
export async function masterKeysInUse(store: Store): Promise<readonly string[]> {
  const used = new Set<string>();
  for (const table of sealedTables) {
    const rows = await store.query<{ id: string }>(
      `select distinct master_key_id as id from ${table} where master_key_id is not null`,
    );
    for (const { id } of rows) used.add(id);
  }
  return [...used].sort();
}

/**
 * A page of rows that are not sealed with a master key, by customer and platform. Reads across customers.
 *
 * @param after the last row of the page before
 */
export async function keysOtherThan(
  store: Store,
  table: SealedPlace['table'],
  masterKeyId: string,
  after: SealedPlace | undefined,
  limit: number,
): Promise<readonly PlacedKey[]> {
  const rows = await store.query<{
    customer_id: string;
    platform: string;
    sealed_key: Buffer;
    master_key_id: string;
  }>(
    `select customer_id, platform, sealed_key, master_key_id from ${table}
     where master_key_id <> $1 and ($2::uuid is null or (customer_id, platform) > ($2::uuid, $3))
     order by customer_id, platform limit $4`,
    [masterKeyId, after?.customerId ?? null, after?.platform ?? '', limit],
  );
  return rows.map((row) => ({
    place: { table, customerId: row.customer_id, platform: row.platform },
    masterKeyId: row.master_key_id,
    sealedKey: row.sealed_key,
  }));
}

/** Puts another seal on the data key of a row; not when the row was written anew meanwhile. */
export async function replaceKey(
  tx: CustomerTransaction,
  before: PlacedKey,
  after: SealedKey,
): Promise<boolean> {
  const { table, platform } = before.place;
  const replaced = await tx.query(
    `update ${table} set sealed_key = $4, master_key_id = $5
     where customer_id = $1 and platform = $2 and sealed_key = $3 returning 1 as one`,
    [platform, before.sealedKey, after.sealedKey, after.masterKeyId],
  );
  return replaced.length > 0;
}
