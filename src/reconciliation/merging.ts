import type { Store } from '../database/store';
import { canonicalReferences } from '../records/canonical-references';
import type { Round } from './round';

/**
 * Makes stored objects one that were found to be: what named the one that goes names the one that stays, the ID that
 * goes becomes an alias, and canonical fields that no platform can hold are kept.
 */
export async function mergeObjects(store: Store, { customerId, runId, entityType }: Round): Promise<void> {
  const own = [customerId, entityType, runId];
  const [any] = await store.query(`select 1 from staged_merges m where ${stored} limit 1`, own);
  if (any === undefined) return;
  for (const statement of statements) await store.query(statement, own);
}

// $1 customer, $2 type, $3 run. What begins with a plus is a record that is not stored yet.
const stored = `m.customer_id = $1 and m.entity_type = $2 and m.run_id = $3 and m.goes not like '+%'`;

const statements = [
  `update canonical_objects o set extra = (gone.extra::jsonb || o.extra::jsonb)::json
    from staged_merges m, canonical_objects gone
    where o.customer_id = $1 and o.id = m.stays and gone.customer_id = $1 and gone.id = m.goes and ${stored}`,
  ...canonicalReferences.map(
    ({ table, column }) =>
      `update ${table} r set ${column} = m.stays from staged_merges m
        where r.customer_id = $1 and r.${column} = m.goes and ${stored}`,
  ),
  `insert into canonical_aliases (customer_id, alias_id, canonical_id)
    select m.customer_id, m.goes, m.stays from staged_merges m where ${stored}`,
  `delete from canonical_objects o using staged_merges m where o.customer_id = $1 and o.id = m.goes and ${stored}`,
];
