import type { StoredEntityType } from '@app/mapper';
import { takeCustomerLock } from '../../database/transaction/customer-lock';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ChangeTarget } from '../plan/intent/change';

/** SQL for the ID of the object of a change, and its parameters after `$1`, the customer. */
export interface TargetSql {
  readonly id: string;
  readonly parameters: readonly string[];
}

/**
 * The {@link TargetSql} of a change. The SQL may give the ID of an object that does not exist or has another type, so
 * the caller checks both.
 */
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
 * Takes the customer's lock in shared mode, which work on all of the customer's data waits for, and then locks the
 * object of the change, so that changes of one object run one after the other.
 *
 * @returns the ID of the object; undefined if it does not exist. The caller checks later whether the customer exists
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
