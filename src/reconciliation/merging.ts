import type { Store } from '../database/store';
import { canonicalReferences } from '../records/canonical-references';
import { keepExtra, keepVersions, versionBy } from '../records/record-versions';
import type { Round } from './round';

/**
 * Makes stored objects one that were found to be: what named the one that goes names the one that stays, the ID that
 * goes becomes an alias, and canonical fields that no platform can hold are kept.
 */
export async function mergeObjects(
  store: Store,
  { customerId, runId, entityType, cause }: Round,
): Promise<void> {
  const own = [customerId, entityType, runId];
  const [any] = await store.query(`select 1 from staged_merges m where ${stored} limit 1`, own);
  if (any === undefined) return;
  for (const statement of ofChange) await store.query(statement, [...own, cause.at, cause.id]);
  for (const statement of statements) await store.query(statement, own);
}

// $1 customer, $2 type, $3 run. What begins with a plus is a record that is not stored yet.
const stored = `m.customer_id = $1 and m.entity_type = $2 and m.run_id = $3 and m.goes not like '+%'`;

const goes = (column: string) => `r.customer_id = $1 and r.${column} = m.goes and ${stored}`;
const cause = { at: '$4', id: '$5' };
const gives = `gone.customer_id = $1 and gone.id = m.goes and gone.extra::text <> '{}' and ${stored}`;

// What has versions. Several may go into one that stays, so its values are kept once.
const ofChange = [
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
  ...canonicalReferences
    .filter(({ table }) => table === 'platform_records')
    .flatMap(({ column }) => [
      keepVersions(`, staged_merges m where ${goes(column)}`, cause),
      `update platform_records r set ${column} = m.stays, ${versionBy(cause)} from staged_merges m where ${goes(column)}`,
    ]),
];

const statements = [
  ...canonicalReferences
    .filter(({ table }) => table !== 'platform_records')
    .map(
      ({ table, column }) =>
        `update ${table} r set ${column} = m.stays from staged_merges m where ${goes(column)}`,
    ),
  `insert into canonical_aliases (customer_id, alias_id, canonical_id)
    select m.customer_id, m.goes, m.stays from staged_merges m where ${stored}`,
  `delete from canonical_objects o using staged_merges m where o.customer_id = $1 and o.id = m.goes and ${stored}`,
];
