import { keyRules, type PlatformName, type StoredEntityType } from '@app/mapper';
import { referenceColumns, type ReferenceField } from '../records/incoming-record';

/** The customer, platform and type that one round of matching is about: parameters $1 to $3 of its statements. */
export interface Round {
  readonly customerId: string;
  readonly platform: PlatformName;
  readonly entityType: StoredEntityType;
}

/** Which references a type of record carries; the parent's is among them. */
export const referencesOf: Readonly<Record<StoredEntityType, readonly ReferenceField[]>> = {
  project: [],
  customer: [],
  contract: ['project_id', 'customer_id'],
  invoice: ['project_id', 'customer_id', 'contract_id'],
  payment: ['project_id', 'customer_id', 'contract_id', 'invoice_id'],
};

/** The column that decides among equal keys; for a type without parents, one that none of its records fills. */
export function parentColumn(entityType: StoredEntityType): string {
  const parent = keyRules[entityType].parent ?? 'invoice_id';
  return referenceColumns[parent as ReferenceField].id;
}

/** The condition that a row of platform_records, under an alias, is of the round. */
export function ofRound(alias: string): string {
  return `${alias}.customer_id = $1 and ${alias}.platform = $2 and ${alias}.entity_type = $3`;
}

/** Every record of the type on this platform: those about to be stored, and the stored ones. */
export function mine(entityType: StoredEntityType): string {
  return `
    select p.platform_id as placed_id, p.canonical_id, p.business_key, p.${parentColumn(entityType)} as parent
    from placed p
    union all
    select null, r.canonical_id, r.business_key, r.${parentColumn(entityType)}
    from platform_records r
    where ${ofRound('r')}`;
}

/** How often the key of a row stands among the rows, and how often under the row's parent. */
export const counted = `count(*) over (partition by business_key) as same_key,
    count(*) over (partition by business_key, parent) as same_parent`;
