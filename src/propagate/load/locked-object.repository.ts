import type { StoredEntityType } from '@app/mapper';
import { takeCustomerLock } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ChangeTarget } from '../plan/intent/change';

/** SQL for the ID of the object of a change, and its parameters after `$1`, the customer. */
export interface TargetSql {
  readonly id: string;
  readonly parameters: readonly string[];
}

/** See {@link TargetSql}. An ID does not imply that the object exists or has the right type. */
export function targetSql(entityType: StoredEntityType, target: ChangeTarget): TargetSql {
  return target.format === 'canonical'
    ? {
        id: `coalesce((select canonical_id from canonical_aliases where customer_id = $1 and alias_id = $2), $2)`,
        parameters: [target.canonicalId],
      }
    : {
        id: `(select canonical_id from platform_records
              where customer_id = $1 and entity_type = $2 and platform = $3 and platform_id = $4)`,
        parameters: [entityType, target.platform, target.platformId],
      };
}

/**
 * Locks the customer shared, so that work on all of its data waits, and then the object of the change. The lock
 * serialises changes of one object.
 *
 * @returns undefined if the object does not exist. The caller asks later whether the customer does
 */
export async function lockObject(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  { id, parameters }: TargetSql,
): Promise<string | undefined> {
  const type = `$${parameters.length + 2}`;
  const [, [row]] = await Promise.all([
    takeCustomerLock(tx, 'shared'),
    tx.query<{ id: string }>(
      `select id from canonical_objects where customer_id = $1 and entity_type = ${type} and id = ${id} for update`,
      [...parameters, entityType],
    ),
  ]);
  return row?.id;
}
