import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/customer-transaction';

/** The object that a platform's native ID belongs to; undefined when no record has the ID. */
export async function nativeOwner(
  tx: CustomerTransaction,
  platform: PlatformName,
  entityType: StoredEntityType,
  platformId: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ canonical_id: string }>(
    `select canonical_id from platform_records
     where customer_id = $1 and platform = $2 and entity_type = $3 and platform_id = $4`,
    [platform, entityType, platformId],
  );
  return row?.canonical_id;
}
