import { idPrefixes, keyRules, platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { Store } from '../database/store';
import { referenceColumns, type ReferenceField } from '../records/incoming-record';

/** The customer, platform and type that one round of matching is about. */
export interface Round {
  readonly customerId: string;
  readonly platform: PlatformName;
  readonly entityType: StoredEntityType;
}

/** Which references a type of record carries; the parent's is among them. */
const referencesOf: Readonly<Record<StoredEntityType, readonly ReferenceField[]>> = {
  project: [],
  customer: [],
  contract: ['project_id', 'customer_id'],
  invoice: ['project_id', 'customer_id', 'contract_id'],
  payment: ['project_id', 'customer_id', 'contract_id', 'invoice_id'],
};

/**
 * Brings the staged records of one type into the customer's store, in a fixed number of statements whatever their
 * count. Parents must have been brought in before.
 *
 * Matching is a function of keys and linked parents, of all records of the type on both platforms: it does not matter
 * in which order records or platforms came. A key that stands once on each side links; among keys that repeat, those
 * of one linked parent that stand once on each side link. Records that are linked already count as standing there, and
 * keep their link.
 *
 * @param replaces whether staged records replace stored ones of the same native ID
 */
export async function bringIn(
  store: Store,
  round: Round,
  others: readonly PlatformName[],
  replaces: boolean,
): Promise<void> {
  const { customerId, platform, entityType } = round;
  const own = [customerId, platform, entityType];
  if (replaces) await store.query(replaceChanged(entityType), own);
  for (const field of referencesOf[entityType]) await store.query(resolveStored(field), own);
  await store.query('drop table if exists placed');
  await store.query(placeNew(entityType), own);
  await store.query('analyze placed');
  for (const other of others) {
    await store.query('drop table if exists paired');
    await store.query(pair(entityType), [...own, other]);
    await store.query(joinTheirs);
    await mergeObjects(store, customerId, platformNames.indexOf(platform) < platformNames.indexOf(other));
  }
  await store.query(nameNew(entityType), own);
  await store.query(insertObjects, [customerId, entityType]);
  await store.query(insertRecords, own);
}

/** Rows whose source has another payload now. Their references are resolved anew. */
function replaceChanged(entityType: StoredEntityType): string {
  const fields = referencesOf[entityType].map((field) => referenceColumns[field]);
  return `
  update platform_records r set
    payload = i.payload, native_order = i.native_order, variant = i.variant, currency = i.currency,
    business_key = i.business_key, number = i.number, project_ref = i.project_ref, customer_ref = i.customer_ref,
    contract_ref = i.contract_ref, invoice_ref = i.invoice_ref
    ${fields.map(({ ref, id }) => `, ${id} = case when r.${ref} is not distinct from i.${ref} then r.${id} end`).join('')}
  from incoming i
  where r.customer_id = $1 and r.platform = $2 and r.entity_type = $3
    and i.entity_type = $3 and i.platform_id = r.platform_id
    and (r.payload::text <> i.payload::text or r.variant is distinct from i.variant)`;
}

/** Stored references that led nowhere before, and now do. */
function resolveStored(field: ReferenceField): string {
  const { ref, id } = referenceColumns[field];
  return `
  update platform_records r set ${id} = found.target
  from (
    select r.platform_id, ${targetOf(field)} as target
    from platform_records r ${lookUp(field, 'r')}
    where r.customer_id = $1 and r.platform = $2 and r.entity_type = $3 and r.${ref} is not null and r.${id} is null
  ) found
  where r.customer_id = $1 and r.platform = $2 and r.entity_type = $3
    and r.platform_id = found.platform_id and found.target is not null`;
}

/** The staged records that are not stored yet, with what their references lead to. */
function placeNew(entityType: StoredEntityType): string {
  const fields = referencesOf[entityType];
  return `
  create temporary table placed on commit drop as
  select i.platform_id, i.business_key,
    ${(Object.keys(referenceColumns) as ReferenceField[])
      .map((field) => `${fields.includes(field) ? targetOf(field) : 'null::text'} as ${referenceColumns[field].id}`)
      .join(', ')},
    null::text collate "C" as canonical_id
  from incoming i ${fields.map((field) => lookUp(field, 'i')).join(' ')}
  where i.entity_type = $3 and not exists (
    select 1 from platform_records r
    where r.customer_id = $1 and r.platform = $2 and r.entity_type = $3 and r.platform_id = i.platform_id
  )`;
}

/** Joins that follow a reference to the record it names on the same platform: by native ID, or by a key that stands once. */
function lookUp(field: ReferenceField, from: string): string {
  const { ref, entityType } = referenceColumns[field];
  const scope = (alias: string) =>
    `${alias}.customer_id = $1 and ${alias}.platform = $2 and ${alias}.entity_type = '${entityType}'`;
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

/** The column that decides among equal keys; for a type without parents, one that none of its records fills. */
function parentColumn(entityType: StoredEntityType): string {
  const parent = keyRules[entityType].parent ?? 'invoice_id';
  return referenceColumns[parent as ReferenceField].id;
}

/** Every record of the type on this platform: those about to be stored, and the stored ones. */
function mine(entityType: StoredEntityType): string {
  return `
    select p.platform_id as placed_id, p.canonical_id, p.business_key, p.${parentColumn(entityType)} as parent
    from placed p
    union all
    select null, r.canonical_id, r.business_key, r.${parentColumn(entityType)}
    from platform_records r
    where r.customer_id = $1 and r.platform = $2 and r.entity_type = $3`;
}

const counted = `count(*) over (partition by business_key) as same_key,
    count(*) over (partition by business_key, parent) as same_parent`;

/**
 * The pairs that this round links. Each branch pairs one to one: rows that stand once under what they are joined by.
 * $4 is the other platform.
 */
function pair(entityType: StoredEntityType): string {
  return `
  create temporary table paired on commit drop as
  with mine as (select *, ${counted} from (${mine(entityType)}) m),
  theirs as (
    select *, ${counted} from (
      select r.canonical_id, r.business_key, r.${parentColumn(entityType)} as parent
      from platform_records r
      where r.customer_id = $1 and r.platform = $4 and r.entity_type = $3
    ) t
  ),
  candidates as (
    select m.placed_id, m.canonical_id as my_id, t.canonical_id as their_id
    from mine m join theirs t on t.business_key = m.business_key
    where m.business_key is not null and m.same_key = 1 and t.same_key = 1
    union all
    select m.placed_id, m.canonical_id, t.canonical_id
    from mine m join theirs t on t.business_key = m.business_key and t.parent = m.parent
    where m.same_parent = 1 and t.same_parent = 1 and (m.same_key > 1 or t.same_key > 1)
  )
  select placed_id, my_id, their_id from candidates c
  where not exists (
      select 1 from platform_records taken
      where taken.customer_id = $1 and taken.canonical_id = c.their_id and taken.platform = $2
    )
    and not exists (
      select 1 from platform_records taken
      where taken.customer_id = $1 and taken.canonical_id = c.my_id and taken.platform = $4
    )`;
}

const joinTheirs = `
  update placed set canonical_id = their_id from paired
  where paired.placed_id = placed.platform_id and placed.canonical_id is null`;

/**
 * Two stored objects that turn out to be one: the one of the platform with precedence stays, the other becomes an
 * alias of it, and what referred to it refers to the one that stays.
 */
async function mergeObjects(store: Store, customerId: string, mineStays: boolean): Promise<void> {
  const [both] = await store.query('select 1 from paired where my_id is not null limit 1');
  if (both === undefined) return;
  await store.query('drop table if exists merged');
  await store.query(
    `create temporary table merged on commit drop as
     select case when $1::boolean then my_id else their_id end as stays,
       case when $1::boolean then their_id else my_id end as goes
     from paired where my_id is not null`,
    [mineStays],
  );
  await store.query('update placed set canonical_id = m.stays from merged m where placed.canonical_id = m.goes');
  for (const statement of mergeStatements) await store.query(statement, [customerId]);
}

const mergeStatements = [
  `update canonical_objects o set extra = (gone.extra::jsonb || o.extra::jsonb)::json, revision = o.revision + 1
    from merged m, canonical_objects gone
    where o.customer_id = $1 and o.id = m.stays and gone.customer_id = $1 and gone.id = m.goes`,
  `update platform_records r set canonical_id = m.stays from merged m where r.customer_id = $1 and r.canonical_id = m.goes`,
  ...Object.values(referenceColumns).map(
    ({ id }) => `update platform_records r set ${id} = m.stays from merged m where r.customer_id = $1 and r.${id} = m.goes`,
  ),
  `update canonical_aliases a set canonical_id = m.stays from merged m where a.customer_id = $1 and a.canonical_id = m.goes`,
  `insert into canonical_aliases (customer_id, alias_id, canonical_id) select $1, goes, stays from merged`,
  `delete from canonical_objects o using merged m where o.customer_id = $1 and o.id = m.goes`,
];

/**
 * IDs of the records that found no partner, by the rule of canonicalId in the mapper library: digest of the key where
 * it stands once on its platform, of key and parent where that stands once, else of platform and native ID; and the
 * last also where the digest is another object's ID already.
 */
function nameNew(entityType: StoredEntityType): string {
  const digest = (...parts: string[]) =>
    `'${idPrefixes[entityType]}_' || left(encode(sha256(convert_to(concat_ws(chr(31), ($1::uuid)::text, $3::text, ${parts.join(', ')}), 'UTF8')), 'hex'), 32)`;
  return `
  update placed set canonical_id = case
      when exists (select 1 from canonical_objects o where o.customer_id = $1 and o.id = named.wanted)
        or exists (select 1 from canonical_aliases a where a.customer_id = $1 and a.alias_id = named.wanted)
      then named.native else named.wanted end
  from (
    select placed_id, native, coalesce(
      case when business_key is not null and same_key = 1 then ${digest(`'key'`, 'business_key')} end,
      case when business_key is not null and parent is not null and same_parent = 1 then ${digest(`'key in parent'`, 'parent', 'business_key')} end,
      native
    ) as wanted
    from (
      select counted.*, ${digest(`'native'`, '$2::text', 'placed_id')} as native
      from (select *, ${counted} from (${mine(entityType)}) m) counted
      where placed_id is not null
    ) candidates
  ) named
  where named.placed_id = placed.platform_id and placed.canonical_id is null`;
}

const insertObjects = `
  insert into canonical_objects (customer_id, id, entity_type)
  select $1, p.canonical_id, $2 from placed p
  where not exists (select 1 from canonical_objects o where o.customer_id = $1 and o.id = p.canonical_id)`;

const insertRecords = `
  insert into platform_records (
    customer_id, platform, entity_type, platform_id, native_order, canonical_id, variant, currency, business_key, number,
    project_ref, customer_ref, contract_ref, invoice_ref,
    project_canonical_id, customer_canonical_id, contract_canonical_id, invoice_canonical_id, payload
  )
  select $1, $2, $3, i.platform_id, i.native_order, p.canonical_id, i.variant, i.currency, i.business_key, i.number,
    i.project_ref, i.customer_ref, i.contract_ref, i.invoice_ref,
    p.project_canonical_id, p.customer_canonical_id, p.contract_canonical_id, p.invoice_canonical_id, i.payload
  from placed p join incoming i on i.entity_type = $3 and i.platform_id = p.platform_id`;
