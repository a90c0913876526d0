import type { Store } from '../database/store';
import { referenceColumns } from '../records/incoming-record';

/**
 * Two stored objects that turn out to be one: the one of the platform with precedence stays, the other becomes an
 * alias of it, and what referred to it refers to the one that stays.
 */
export async function mergeObjects(store: Store, customerId: string, mineStays: boolean): Promise<void> {
  const [both] = await store.query('select 1 from paired where my_id is not null limit 1');
  if (both === undefined) return;
  await store.query(
    `create temporary table merged on commit drop as
     select case when $1::boolean then my_id else their_id end as stays,
       case when $1::boolean then their_id else my_id end as goes
     from paired where my_id is not null`,
    [mineStays],
  );
  await store.query(
    'update placed set canonical_id = m.stays from merged m where placed.canonical_id = m.goes',
  );
  for (const statement of statements) await store.query(statement, [customerId]);
  await store.query('drop table merged');
}

const statements = [
  `update canonical_objects o set extra = (gone.extra::jsonb || o.extra::jsonb)::json
    from merged m, canonical_objects gone
    where o.customer_id = $1 and o.id = m.stays and gone.customer_id = $1 and gone.id = m.goes`,
  `update platform_records r set canonical_id = m.stays from merged m where r.customer_id = $1 and r.canonical_id = m.goes`,
  ...Object.values(referenceColumns).map(
    ({ id }) =>
      `update platform_records r set ${id} = m.stays from merged m where r.customer_id = $1 and r.${id} = m.goes`,
  ),
  `update canonical_aliases a set canonical_id = m.stays from merged m where a.customer_id = $1 and a.canonical_id = m.goes`,
  `insert into canonical_aliases (customer_id, alias_id, canonical_id) select $1, goes, stays from merged`,
  `delete from canonical_objects o using merged m where o.customer_id = $1 and o.id = m.goes`,
];
