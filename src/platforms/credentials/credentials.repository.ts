import { isJsonObject, type JsonObject, type PlatformName } from '@app/mapper';
import { CustomerRow } from '../../database/entities/customer.entity';
import { LiveConnectionRow } from '../../database/entities/live-connection.entity';
import { PlatformTokenRow } from '../../database/entities/platform-token.entity';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import { ApiError } from '../../common/errors/api-error';
import type { SealedKey } from './envelope';

/** Secrets as JSON, sealed, and the key that they are sealed with. */
export interface SealedSecrets {
  readonly key: SealedKey;
  readonly secrets: Buffer;
}

/** A row of credentials as it is stored. */
export interface StoredRow {
  readonly settings: JsonObject;
  readonly sealed: SealedSecrets;
  readonly changedAt: Date;
}

/** @throws ApiError NOT_FOUND without such a customer */
export async function kindOfCustomer(tx: CustomerTransaction): Promise<string> {
  const row = await tx.store.manager.getRepository(CustomerRow).findOneBy({ id: tx.customerId });
  if (row === null) throw new ApiError('NOT_FOUND', `No customer with ID ${tx.customerId}`);
  return row.kind;
}

/** Stores credentials in place of those there were. Tokens that were given for those go. */
export async function saveRow(
  tx: CustomerTransaction,
  platform: PlatformName,
  settings: JsonObject,
  sealed: SealedSecrets,
): Promise<void> {
  await tx.store.manager.getRepository(LiveConnectionRow).upsert(
    {
      customerId: tx.customerId,
      platform,
      settings,
      sealedSecrets: sealed.secrets,
      ...sealed.key,
      changedAt: () => 'now()',
    },
    ['customerId', 'platform'],
  );
  // Also for an instance that is asking for a token now: it finds its lease gone, and begins again.
  await tx.store.manager.getRepository(PlatformTokenRow).delete({ customerId: tx.customerId, platform });
}

/** The credentials of a connection; undefined when there are none. */
export async function findRow(
  tx: CustomerTransaction,
  platform: PlatformName,
): Promise<StoredRow | undefined> {
  const row = await tx.store.manager
    .getRepository(LiveConnectionRow)
    .findOneBy({ customerId: tx.customerId, platform: platform as string });
  if (row === null) return undefined;
  const { settings, sealedSecrets, sealedKey, masterKeyId, changedAt } = row;
  if (!isJsonObject(settings)) throw new Error('Stored credentials hold no JSON object');
  return { settings, sealed: { key: { sealedKey, masterKeyId }, secrets: sealedSecrets }, changedAt };
}

/** Removes credentials and their tokens; whether there were any. */
export async function removeRow(tx: CustomerTransaction, platform: PlatformName): Promise<boolean> {
  const { affected } = await tx.store.manager
    .getRepository(LiveConnectionRow)
    .delete({ customerId: tx.customerId, platform: platform as string });
  return affected === 1;
}
