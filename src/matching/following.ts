import type { StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/customer-transaction';
import { contentColumns, referenceColumns } from '../records/record-columns';
import { keepVersions, versionBy } from '../records/record-versions';
import { follow, targetOf, type NamedBy } from './references';
import { ofRound, referencesOf, staged, type MatchingRound } from './round';

// $6 and $7 are the time and the ID of the change.
const replacing = { at: '$6', id: '$7' };
const changedPayload = '(r.payload::text <> s.payload::text or r.variant is distinct from s.variant)';
const changedDigest = 'r.digest is distinct from s.digest';
const isSource = `${ofRound('r')} and ${staged('s')} and s.platform_id = r.platform_id
    and r.accepted is null and (r.written_at is null or r.written_at < $5::timestamptz)`;

/** Keeps the stored records that {@link replaceChanged} and {@link renewColumns} replace. Parameters as there. */
export const keepReplaced = keepVersions(
  `, staged_records s where ${isSource} and (${changedPayload} or ${changedDigest})`,
  replacing,
);

/**
 * Stored records whose source has another payload now. Their references are to be followed anew. $5 is when the reading
 * began: a write of ours that was recorded since is newer than what was read, and an open one knows better what comes.
 */
export function replaceChanged(entityType: StoredEntityType): string {
  return `${replace(entityType)} and ${changedPayload}`;
}

/**
 * Stored records whose source has not changed while what is read out of them has: by an earlier release, in another
 * currency of the connection, or not at all since a write of ours. Parameters as of {@link replaceChanged}.
 */
export function renewColumns(entityType: StoredEntityType): string {
  return `${replace(entityType)} and ${changedDigest}`;
}

function replace(entityType: StoredEntityType): string {
  const references = referencesOf[entityType].map((field) => referenceColumns[field]);
  const assignments = [
    ...contentColumns.map((column) => `${column} = s.${column}`),
    ...references.map(
      ({ ref, id }) => `${id} = case when r.${ref} is not distinct from s.${ref} then r.${id} end`,
    ),
    versionBy(replacing),
  ];
  return `
  update platform_records r set ${assignments.join(', ')}
  from staged_records s
  where ${isSource}`;
}

/** Follows stored references that led nowhere before, and now do. */
export async function followStored(
  tx: CustomerTransaction,
  { entityType, platform, cause }: MatchingRound,
): Promise<void> {
  const open = referencesOf[entityType].map((field) => {
    const { ref, id } = referenceColumns[field];
    return `(r.${ref} is not null and r.${id} is null)`;
  });
  if (open.length === 0) return;
  const own = [entityType, platform];
  const [any] = await tx.query(
    `select 1 from platform_records r where ${ofRound('r')} and (${open.join(' or ')}) limit 1`,
    own,
  );
  if (any === undefined) return;
  for (const statement of followOpen(entityType)) await tx.query(statement, [...own, cause.at, cause.id]);
}

// Keeps the records, and follows what leads somewhere now.
function followOpen(entityType: StoredEntityType): readonly string[] {
  const fields = referencesOf[entityType];
  const each = (text: (columns: { ref: string; id: string }) => string) =>
    fields.map((field) => text(referenceColumns[field]));
  const following = { at: '$4', id: '$5' };
  const found = `(
    select r.platform_id, ${fields.map((field) => `${targetOf(field)} as ${referenceColumns[field].id}`).join(', ')}
    from platform_records r ${fields.map((field) => follow(field, 'r')).join('')}
    where ${ofRound('r')} and (${each(({ ref, id }) => `(r.${ref} is not null and r.${id} is null)`).join(' or ')})
  ) found`;
  const leadsOn = `${ofRound('r')} and r.platform_id = found.platform_id
    and (${each(({ id }) => `(r.${id} is null and found.${id} is not null)`).join(' or ')})`;
  const assignments = [...each(({ id }) => `${id} = coalesce(r.${id}, found.${id})`), versionBy(following)];
  return [
    keepVersions(`, ${found} where ${leadsOn}`, following),
    `update platform_records r set ${assignments.join(', ')} from ${found} where ${leadsOn}`,
  ];
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
