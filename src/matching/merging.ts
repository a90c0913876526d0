import type { StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/customer-transaction';
import { canonicalReferences } from '../records/canonical-references';
import { referenceColumns } from '../records/record-columns';
import { keepExtra, keepVersions, versionBy } from '../records/record-versions';
import type { MatchingRound } from './round';

/**
 * Merges stored objects that matching has joined. References to the merged object name the remaining one, its ID
 * becomes an alias, and canonical fields that no platform can hold are kept.
 */
export async function mergeObjects(
  tx: CustomerTransaction,
  { runId, entityType, cause }: Pick<MatchingRound, 'customerId' | 'runId' | 'entityType' | 'cause'>,
): Promise<void> {
  const own = [entityType, runId];
  const [any] = await tx.query(`select 1 from staged_merges m where ${stored} limit 1`, own);
  if (any === undefined) return;
  for (const statement of ofChange(entityType)) await tx.query(statement, [...own, cause.at, cause.id]);
  for (const statement of following(entityType)) await tx.query(statement, own);
  await tx.query(newAliases, [...own, cause.at]);
  await tx.query(endObjects, own);
}

// $1 customer, $2 type, $3 run. What begins with a plus is a record that is not stored yet.
const stored = `m.customer_id = $1 and m.entity_type = $2 and m.run_id = $3 and m.goes not like '+%'`;

const goes = (column: string) => `r.customer_id = $1 and r.${column} = m.goes and ${stored}`;
const cause = { at: '$4', id: '$5' };
const gives = `gone.customer_id = $1 and gone.id = m.goes and gone.extra::text <> '{}' and ${stored}`;

// Other columns name objects of other types. Records are not found by what they refer to: each column takes a look at all.
function referencesTo(entityType: StoredEntityType): typeof canonicalReferences {
  const others = Object.values(referenceColumns)
    .filter((reference) => reference.entityType !== entityType)
    .map(({ id }): string => id);
  return canonicalReferences.filter(({ column }) => !others.includes(column));
}

// Tables with versions. Several objects may be merged into the same one, so its values are stored once.
const ofChange = (entityType: StoredEntityType) => [
  keepExtra(
    `where o.customer_id = $1 and o.extra::text <> '{}' and exists (
      select 1 from staged_merges m where m.goes = o.id and ${stored})`,
    cause,
  ),
  keepExtra(
    `where o.customer_id = $1 and exists (
      select 1 from staged_merges m, canonical_objects gone where m.stays = o.id and ${gives})`,
    cause,
  ),
  `update canonical_objects o set extra = (gone.extra::jsonb || o.extra::jsonb)::json, extra_since = $4::timestamptz
    from staged_merges m, canonical_objects gone
    where $5::uuid is not null and o.customer_id = $1 and o.id = m.stays and ${gives}`,
  ...referencesTo(entityType)
    .filter(({ table }) => table === 'platform_records')
    .flatMap(({ column }) => [
      keepVersions(`, staged_merges m where ${goes(column)}`, cause),
      `update platform_records r set ${column} = m.stays, ${versionBy(cause)} from staged_merges m where ${goes(column)}`,
    ]),
];

const following = (entityType: StoredEntityType) =>
  referencesTo(entityType)
    .filter(({ table }) => table !== 'platform_records')
    .map(
      ({ table, column }) =>
        `update ${table} r set ${column} = m.stays${made(table)} from staged_merges m where ${goes(column)}`,
    );
// Reads as of a time show the open writes of then with the object that they were made for.
const made = (table: string): string =>
  table === 'outbox_commands' ? ', made_for = coalesce(r.made_for, m.goes)' : '';
const newAliases = `
  insert into canonical_aliases (customer_id, alias_id, canonical_id, merged_into, since)
  select m.customer_id, m.goes, m.stays, m.stays, $4::timestamptz from staged_merges m where ${stored}`;
const endObjects = `
  delete from canonical_objects o using staged_merges m where o.customer_id = $1 and o.id = m.goes and ${stored}`;
