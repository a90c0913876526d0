import type { StoredEntityType } from '@app/mapper';
import { lockCustomer } from '../../database/customer-lock';
import type { Store } from '../../database/store';
import type { ChangeTarget } from '../plan/change';

/**
 * Locks the customer shared, so that work on all of its data waits, and then the object of the change. Changes of one
 * object follow one another by this lock. The ID is undefined when there is no such object.
 */
export async function lockObject(
  store: Store,
  customerId: string,
  entityType: StoredEntityType,
  target: ChangeTarget,
): Promise<{ readonly customerExists: boolean; readonly id: string | undefined }> {
  if (!(await lockCustomer(store, customerId, 'shared'))) return { customerExists: false, id: undefined };
  const [sql, parameters] =
    target.format === 'canonical'
      ? [
          `select id from canonical_objects where customer_id = $1 and entity_type = $2 and id = coalesce(
             (select canonical_id from canonical_aliases where customer_id = $1 and alias_id = $3), $3) for update`,
          [customerId, entityType, target.canonicalId],
        ]
      : [
          `select id from canonical_objects where customer_id = $1 and entity_type = $2 and id = (
             select canonical_id from platform_records
             where customer_id = $1 and entity_type = $2 and platform = $3 and platform_id = $4) for update`,
          [customerId, entityType, target.platform, target.platformId],
        ];
  const [row] = await store.query<{ id: string }>(sql, parameters);
  return { customerExists: true, id: row?.id };
}
