import type { CustomerTransaction } from '../database/transaction/store';
import type { SealedKey } from '../platforms/credentials/envelope';

/** A sealed secret of an endpoint. */
export interface SealedSecret extends SealedKey {
  readonly id: string;
  readonly sealedSecret: Buffer;
}

/** Stores the secret that an endpoint signs with from now on. */
export async function insertSecret(
  tx: CustomerTransaction,
  endpointId: string,
  { id, masterKeyId, sealedKey, sealedSecret }: SealedSecret,
): Promise<void> {
  await tx.query(
    `insert into webhook_secrets (customer_id, endpoint_id, id, master_key_id, sealed_key, sealed_secret, made_at)
     values ($1, $2, $3, $4, $5, $6, now())`,
    [endpointId, id, masterKeyId, sealedKey, sealedSecret],
  );
}

/**
 * Sets the end of the secret that an endpoint signs with, and removes those that were replaced before.
 *
 * @param overlap milliseconds for which it still signs
 */
export async function endSecret(tx: CustomerTransaction, endpointId: string, overlap: number): Promise<void> {
  await tx.query(
    'delete from webhook_secrets where customer_id = $1 and endpoint_id = $2 and ends_at is not null',
    [endpointId],
  );
  await tx.query(
    `update webhook_secrets set ends_at = now() + $3 * interval '1 millisecond'
     where customer_id = $1 and endpoint_id = $2`,
    [endpointId, overlap],
  );
}

/** The secrets that an endpoint signs with, the newest first. */
export function secretsInForce(tx: CustomerTransaction, endpointId: string): Promise<SealedSecret[]> {
  return tx.query<SealedSecret>(
    `select s.id, s.master_key_id as "masterKeyId", s.sealed_key as "sealedKey", s.sealed_secret as "sealedSecret"
     from webhook_secrets s
     where s.customer_id = $1 and s.endpoint_id = $2 and (s.ends_at is null or s.ends_at > now())
     order by s.ends_at desc nulls first`,
    [endpointId],
  );
}
