import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { Store } from '../database/transaction/store';

/** The object that a platform's native ID belongs to; undefined when no record has the ID. */
export async function nativeOwner(
  store: Store,
  customerId: string,
  platform: PlatformName,
  entityType: StoredEntityType,
  platformId: string,
): Promise<string | undefined> {
  const [row] = await store.query<{ canonical_id: string }>(
    `select canonical_id from platform_records
     where customer_id = $1 and platform = $2 and entity_type = $3 and platform_id = $4`,
    [customerId, platform, entityType, platformId],
  );
  return row?.canonical_id;
}
