import { platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { groupNameOf, keyGroups, parentColumn } from '../../rule/key-groups.sql';
import { nameOf, type RecordName } from '../../rule/link-constraints';

/** A stored record with its object and key. */
export interface Placed extends RecordName {
  readonly object: string;
  readonly key: string | null;
}

/** The groups of the rule by the records that belong to one. */
export type Groups = ReadonlyMap<string, { readonly record: Placed; readonly group: string }>;

interface PlacedRow {
  readonly platform: PlatformName;
  readonly platform_id: string;
  readonly canonical_id: string;
  readonly business_key: string | null;
}

function placedOf(row: PlacedRow): Placed {
  return {
    platform: row.platform,
    platformId: row.platform_id,
    object: row.canonical_id,
    key: row.business_key,
  };
}

/** All records of some objects. */
export async function membersOf(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  objects: readonly string[],
): Promise<readonly Placed[]> {
  if (objects.length === 0) return [];
  const rows = await tx.query<PlacedRow>(
    `select r.platform, r.platform_id, r.canonical_id, r.business_key from platform_records r
     where r.customer_id = $1 and r.entity_type = $2 and r.canonical_id = any ($3::text[])`,
    [entityType, objects],
  );
  return rows.map(placedOf);
}

/** The objects of records, as far as they are there, by record. */
export async function objectsOf(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  records: readonly RecordName[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{
    platform: RecordName['platform'];
    platform_id: string;
    canonical_id: string;
  }>(
    `select r.platform, r.platform_id, r.canonical_id
     from unnest($3::text[], $4::text[]) as asked (platform, platform_id)
     join platform_records r on r.customer_id = $1 and r.platform = asked.platform and r.entity_type = $2
       and r.platform_id = asked.platform_id`,
    [entityType, records.map(({ platform }) => platform), records.map(({ platformId }) => platformId)],
  );
  return new Map(
    rows.map(({ platform, platform_id: platformId, canonical_id: id }) => [
      nameOf({ platform, platformId }),
      id,
    ]),
  );
}

/**
 * The groups of keys by the rule as it is now.
 *
 * @param around objects whose groups alone are wanted
 */
export async function groupsOf(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  keys: readonly string[],
  around?: readonly string[],
): Promise<Groups> {
  if (keys.length === 0) return new Map();
  const shared = [entityType, platformNames, keys];
  const rows = await tx.query<PlacedRow & { readonly parent_key: string }>(
    `with ${keyGroups(entityType, { platforms: '$3::text[]', keys: '$4::text[]' })}
     select g.platform, g.platform_id, g.canonical_id, g.business_key, g.parent_key from grouped g
     ${around === undefined ? '' : groupsAround}`,
    around === undefined ? shared : [...shared, around],
  );
  return new Map(
    rows.map((row) => {
      const record = placedOf(row);
      return [nameOf(record), { record, group: groupNameOf(row) ?? '' }];
    }),
  );
}

const groupsAround = `
  where (g.business_key, g.parent_key) in (
    select own.business_key, own.parent_key from grouped own where own.canonical_id = any ($5::text[])
  )`;

/** Keys that repeat on some platform, of records whose deciding parent is one of some objects. */
export async function repeatedKeysUnder(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  parents: readonly string[],
): Promise<readonly string[]> {
  const rows = await tx.query<{ business_key: string }>(
    `with under as (
       select distinct c.business_key from platform_records c
       where c.customer_id = $1 and c.platform = any ($3::text[]) and c.entity_type = $2 and c.business_key is not null
         and c.${parentColumn(entityType)} = any ($4::text[])
     )
     select distinct r.business_key from under join platform_records r
       on r.customer_id = $1 and r.platform = any ($3::text[]) and r.entity_type = $2
         and r.business_key = under.business_key
     group by r.business_key, r.platform having count(*) > 1`,
    [entityType, platformNames, parents],
  );
  return rows.map(({ business_key: key }) => key);
}

/** Records that a write of ours created for the object that they still belong to, deleted ones among them. */
export async function createdAmong(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  objects: readonly string[],
): Promise<ReadonlySet<string>> {
  if (objects.length === 0) return new Set();
  const rows = await tx.query<PlacedRow>(
    `select r.platform, r.platform_id, r.canonical_id, r.business_key from (
       select n.platform, n.entity_type, n.platform_id, n.canonical_id, n.business_key, n.changed_by from platform_records n
       where n.customer_id = $1 and n.entity_type = $2 and n.canonical_id = any ($3::text[])
       union all
       select d.platform, d.entity_type, d.platform_id, d.canonical_id, d.business_key, null from deleted_records d
       where d.customer_id = $1 and d.entity_type = $2 and d.canonical_id = any ($3::text[])
     ) r
     where exists (
       select 1 from changes c where c.customer_id = $1 and c.origin in ('propagation', 'outcome') and c.id = coalesce((
         select v.changed_by from record_versions v
         where v.customer_id = $1 and v.platform = r.platform and v.entity_type = r.entity_type
           and v.platform_id = r.platform_id and v.canonical_id = r.canonical_id
         order by v.since limit 1
       ), r.changed_by)
     )`,
    [entityType, objects],
  );
  return new Set(rows.map((row) => nameOf(placedOf(row))));
}

/**
 * For each object, the record that had the object's ID first. If several records had it first, the record of the
 * platform with precedence.
 */
export async function firstHolders(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  objects: readonly string[],
): Promise<ReadonlyMap<string, RecordName>> {
  if (objects.length === 0) return new Map();
  const rows = await tx.query<PlacedRow>(
    `select distinct on (held.canonical_id) held.canonical_id, held.platform, held.platform_id, held.business_key from (
       select r.canonical_id, r.platform, r.platform_id, r.business_key, least(r.since, (
         select min(v.since) from record_versions v
         where v.customer_id = $1 and v.platform = r.platform and v.entity_type = r.entity_type
           and v.platform_id = r.platform_id and v.canonical_id = r.canonical_id
       )) as since
       from platform_records r
       where r.customer_id = $1 and r.entity_type = $2 and r.canonical_id = any ($3::text[])
     ) held
     order by held.canonical_id, held.since, array_position($4::text[], held.platform)`,
    [entityType, objects, platformNames],
  );
  return new Map(rows.map((row) => [row.canonical_id, placedOf(row)]));
}

/** The objects that standing decisions about records of a type name. */
export async function decidedObjects(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
): Promise<readonly string[]> {
  const rows = await tx.query<{ canonical_id: string }>(concerned, [entityType]);
  return rows.map(({ canonical_id: id }) => id);
}

const concerned = `
  select distinct r.canonical_id from (
    select d.platform, d.platform_id from reconciliation_decisions d
    where d.customer_id = $1 and d.entity_type = $2 and d.withdrawn_at is null
    union
    select d.other_platform, d.other_platform_id from reconciliation_decisions d
    where d.customer_id = $1 and d.entity_type = $2 and d.withdrawn_at is null
  ) named
  join platform_records r on r.customer_id = $1 and r.platform = named.platform and r.entity_type = $2
    and r.platform_id = named.platform_id`;
