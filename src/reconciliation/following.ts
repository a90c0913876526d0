import type { StoredEntityType } from '@app/mapper';
import type { Store } from '../database/store';
import { contentColumns, referenceColumns } from '../records/record-columns';
import { follow, targetOf, type NamedBy } from './references';
import { ofRound, referencesOf, staged, type Round } from './round';

/**
 * Stored records whose source has another payload now. Their references are to be followed anew. $5 is when the reading
 * began: a write of ours that was recorded since is newer than what was read, and an open one knows better what comes.
 */
export function replaceChanged(entityType: StoredEntityType): string {
  return `${replace(entityType)} and (r.payload::text <> s.payload::text or r.variant is distinct from s.variant)`;
}

/**
 * Stored records whose source has not changed while what is read out of them has: by an earlier release, in another
 * currency of the connection, or not at all since a write of ours. Parameters as of {@link replaceChanged}.
 */
export function renewColumns(entityType: StoredEntityType): string {
  return `${replace(entityType)} and r.digest is distinct from s.digest`;
}

function replace(entityType: StoredEntityType): string {
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
    and r.accepted is null and (r.written_at is null or r.written_at < $5::timestamptz)`;
}

/** Follows stored references that led nowhere before, and now do. */
export async function followStored(store: Store, { customerId, entityType, platform }: Round): Promise<void> {
  const open = referencesOf[entityType].map((field) => {
    const { ref, id } = referenceColumns[field];
    return `(r.${ref} is not null and r.${id} is null)`;
  });
  if (open.length === 0) return;
  const own = [customerId, entityType, platform];
  const [any] = await store.query(
    `select 1 from platform_records r where ${ofRound('r')} and (${open.join(' or ')}) limit 1`,
    own,
  );
  if (any !== undefined) await store.query(followOpen(entityType), own);
}

function followOpen(entityType: StoredEntityType): string {
  const fields = referencesOf[entityType];
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

/**
 * Places the staged records that are not stored yet, with what their references lead to.
 *
 * @param named by what they refer to others
 */
export function placeNew(entityType: StoredEntityType, named: NamedBy): string {
  const fields = referencesOf[entityType].filter((field) => named.get(field)?.id || named.get(field)?.key);
  const columns = fields.map((field) => `, ${referenceColumns[field].id}`).join('');
  return `
  insert into staged_placements (customer_id, run_id, entity_type, platform_id, business_key, own_id ${columns})
  select s.customer_id, s.run_id, s.entity_type, s.platform_id, s.business_key, s.own_id
    ${fields.map((field) => `, ${targetOf(field, named.get(field))}`).join('')}
  from staged_records s ${fields.map((field) => follow(field, 's', named.get(field))).join('')}
  where ${staged('s')} and not exists (
    select 1 from platform_records r where ${ofRound('r')} and r.platform_id = s.platform_id
  )`;
}
