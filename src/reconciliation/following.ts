import type { StoredEntityType } from '@app/mapper';
import { contentColumns, referenceColumns, type ReferenceField } from '../records/record-columns';
import { ofRound, referencesOf, staged } from './round';

/**
 * Stored records whose source has another payload now. Their references are to be followed anew. $5 is when the reading
 * began: a write of ours that was recorded since is newer than what was read, and an open one knows better what comes.
 */
export function replaceChanged(entityType: StoredEntityType): string {
  const references = referencesOf[entityType].map((field) => referenceColumns[field]);
  const assignments = [
    ...contentColumns.map((column) => `${column} = s.${column}`),
    ...references.map(
      ({ ref, id }) => `${id} = case when r.${ref} is not distinct from s.${ref} then r.${id} end`,
    ),
  ];
  return `
  update platform_records r set ${assignments.join(', ')}
  from staged_records s
  where ${ofRound('r')} and ${staged('s')} and s.platform_id = r.platform_id
    and r.accepted is null and (r.written_at is null or r.written_at < $5::timestamptz)
    and (r.payload::text <> s.payload::text or r.variant is distinct from s.variant)`;
}

/** Stored references that led nowhere before, and now do. Undefined for a type that refers to nothing. */
export function followStored(entityType: StoredEntityType): string | undefined {
  const fields = referencesOf[entityType];
  if (fields.length === 0) return undefined;
  const each = (text: (columns: { ref: string; id: string }) => string) =>
    fields.map((field) => text(referenceColumns[field]));
  return `
  update platform_records r set ${each(({ id }) => `${id} = coalesce(r.${id}, found.${id})`).join(', ')}
  from (
    select r.platform_id, ${fields.map((field) => `${targetOf(field)} as ${referenceColumns[field].id}`).join(', ')}
    from platform_records r ${fields.map((field) => follow(field, 'r')).join('')}
    where ${ofRound('r')} and (${each(({ ref, id }) => `(r.${ref} is not null and r.${id} is null)`).join(' or ')})
  ) found
  where ${ofRound('r')} and r.platform_id = found.platform_id
    and (${each(({ id }) => `(r.${id} is null and found.${id} is not null)`).join(' or ')})`;
}

/** Places the staged records that are not stored yet, with what their references lead to. */
export function placeNew(entityType: StoredEntityType): string {
  const fields = referencesOf[entityType];
  const columns = fields.map((field) => `, ${referenceColumns[field].id}`).join('');
  return `
  insert into staged_placements (customer_id, run_id, entity_type, platform_id, business_key, own_id ${columns})
  select s.customer_id, s.run_id, s.entity_type, s.platform_id, s.business_key, s.own_id
    ${fields.map((field) => `, ${targetOf(field)}`).join('')}
  from staged_records s ${fields.map((field) => follow(field, 's')).join('')}
  where ${staged('s')} and not exists (
    select 1 from platform_records r where ${ofRound('r')} and r.platform_id = s.platform_id
  )`;
}

/** Joins that follow a reference to the record it names on the same platform: by native ID, or by a key that one has. */
function follow(field: ReferenceField, from: string): string {
  const { ref, entityType } = referenceColumns[field];
  const scope = (alias: string) =>
    `${alias}.customer_id = $1 and ${alias}.platform = $3 and ${alias}.entity_type = '${entityType}'`;
  return `
    left join platform_records ${field}_by_id on ${scope(`${field}_by_id`)}
      and ${field}_by_id.platform_id = case when ${from}.${ref} like 'id:%' then substr(${from}.${ref}, 4) end
    left join (
      select keyed.business_key, min(keyed.canonical_id) as canonical_id from platform_records keyed
      where ${scope('keyed')} and keyed.business_key is not null group by keyed.business_key having count(*) = 1
    ) ${field}_by_key
      on ${field}_by_key.business_key = case when ${from}.${ref} like 'key:%' then substr(${from}.${ref}, 5) end`;
}

function targetOf(field: ReferenceField): string {
  return `coalesce(${field}_by_id.canonical_id, ${field}_by_key.canonical_id)`;
}
