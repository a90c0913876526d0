import { referenceColumns, type ReferenceField } from '../../records/platform-records/record-columns';

/** The ways in which a reference is followed; by default all that there are. */
export interface ReferenceWays {
  readonly id: boolean;
  readonly key: boolean;
}
const allWays: ReferenceWays = { id: true, key: true };

/** The fields by which the records of a type refer to other records, and whether by native ID or by key. */
export type NamedBy = ReadonlyMap<ReferenceField, ReferenceWays>;

/** Joins that follow a reference to the record it names on the same platform: by native ID, or by a key that one has. */
export function follow(field: ReferenceField, from: string, ways = allWays): string {
  const { ref, entityType } = referenceColumns[field];
  const scope = (alias: string) =>
    `${alias}.customer_id = $1 and ${alias}.platform = $3 and ${alias}.entity_type = '${entityType}'`;
  const byId = `
    left join platform_records ${field}_by_id on ${scope(`${field}_by_id`)}
      and ${field}_by_id.platform_id = case when ${from}.${ref} like 'id:%' then substr(${from}.${ref}, 4) end`;
  const byKey = `
    left join (
      select keyed.business_key, min(keyed.canonical_id) as canonical_id from platform_records keyed
      where ${scope('keyed')} and keyed.business_key is not null group by keyed.business_key having count(*) = 1
    ) ${field}_by_key
      on ${field}_by_key.business_key = case when ${from}.${ref} like 'key:%' then substr(${from}.${ref}, 5) end`;
  return `${ways.id ? byId : ''}${ways.key ? byKey : ''}`;
}

/** The column expression of what {@link follow} found; null where it found nothing. */
export function targetOf(field: ReferenceField, ways = allWays): string {
  const found = [ways.id && `${field}_by_id.canonical_id`, ways.key && `${field}_by_key.canonical_id`];
  return `coalesce(${found.filter((one) => one !== false).join(', ')})`;
}
