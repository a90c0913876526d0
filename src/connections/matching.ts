import { idPrefixes, platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { Store } from '../database/store';
import { followStored, placeNew, replaceChanged } from './following';
import { mergeObjects } from './merging';
import { counted, mine, ofRound, parentColumn, type Round } from './round';

/** What one connect needs for its rounds of matching, once. */
export async function prepareMatching(store: Store): Promise<void> {
  await store.query(`
    create temporary table placed (
      platform_id text collate "C" not null, business_key text collate "C",
      project_canonical_id text collate "C", customer_canonical_id text collate "C",
      contract_canonical_id text collate "C", invoice_canonical_id text collate "C", canonical_id text collate "C"
    ) on commit drop;
    create temporary table paired (
      placed_id text collate "C", my_id text collate "C", their_id text collate "C" not null
    ) on commit drop;
    set local enable_nestloop = off`);
  // Nothing is known yet of how much stands in tables that are being filled, and a nested loop that was planned for one
  // row takes hours over a hundred thousand. Every join here is one of equality, so the other ways are always open, and
  // read the customer's records of a type once.
}

/** What a round did with the staged records. */
export interface BroughtIn {
  /** Records stored for the first time. */
  readonly added: number;
  /** Stored records that were replaced by others. */
  readonly changed: number;
  /** Links made to records of other platforms, of new records and of stored ones. */
  readonly linked: number;
}

/**
 * Brings the staged records of one type into the customer's store, in a fixed number of statements whatever their
 * count. Parents must have been brought in before.
 *
 * Matching is a function of keys and linked parents, of all records of the type on both platforms: it does not matter
 * in which order records or platforms came. A key that stands once on each side links; among keys that repeat, those
 * of one linked parent that stand once on each side link. Records that are linked already count as standing there, and
 * keep their link.
 * Staged records replace stored ones of the same native ID.
 */
export async function bringIn(
  store: Store,
  round: Round,
  others: readonly PlatformName[],
): Promise<BroughtIn> {
  const { customerId, platform, entityType } = round;
  const own = [customerId, platform, entityType];
  const changed = await countOf(store, replaceChanged(entityType), own);
  const follow = followStored(entityType);
  if (follow !== undefined) await store.query(follow, own);
  await store.query('truncate placed');
  await store.query(placeNew(entityType), own);
  let linked = 0;
  for (const other of others) {
    await store.query('truncate paired');
    linked += await countOf(store, pair(entityType), [...own, other]);
    await store.query(joinTheirs);
    await mergeObjects(store, customerId, platformNames.indexOf(platform) < platformNames.indexOf(other));
  }
  await store.query(nameNew(entityType), own);
  await store.query(insertObjects, [customerId, entityType]);
  const added = await countOf(store, insertRecords, own);
  return { added, changed, linked };
}

/** Runs a statement that tells in one row how many rows it wrote. */
async function countOf(store: Store, sql: string, parameters: readonly unknown[]): Promise<number> {
  const [row] = await store.query<{ count: number }>(sql, parameters);
  return row?.count ?? 0;
}

/**
 * The pairs that this round links. Each branch pairs one to one: rows that stand once under what they are joined by.
 * $4 is the other platform.
 */
function pair(entityType: StoredEntityType): string {
  return `
  with mine as (select *, ${counted} from (${mine(entityType)}) m where business_key is not null),
  theirs as (
    select *, ${counted} from (
      select r.canonical_id, r.business_key, r.${parentColumn(entityType)} as parent
      from platform_records r
      where r.customer_id = $1 and r.platform = $4 and r.entity_type = $3 and r.business_key is not null
    ) t
  ),
  candidates as (
    select m.placed_id, m.canonical_id as my_id, t.canonical_id as their_id
    from mine m join theirs t on t.business_key = m.business_key
    where m.same_key = 1 and t.same_key = 1
    union all
    select m.placed_id, m.canonical_id, t.canonical_id
    from mine m join theirs t on t.business_key = m.business_key and t.parent = m.parent
    where m.same_parent = 1 and t.same_parent = 1 and (m.same_key > 1 or t.same_key > 1)
  ),
  linked as (
    insert into paired (placed_id, my_id, their_id)
    select placed_id, my_id, their_id from candidates c
    where not exists (select 1 from platform_records taken where ${ofRound('taken')} and taken.canonical_id = c.their_id)
      and not exists (
        select 1 from platform_records taken
        where taken.customer_id = $1 and taken.platform = $4 and taken.entity_type = $3 and taken.canonical_id = c.my_id
      )
    returning 1
  )
  select count(*)::int as count from linked`;
}

const joinTheirs = `
  update placed set canonical_id = their_id from paired
  where paired.placed_id = placed.platform_id and placed.canonical_id is null`;

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
      where placed_id is not null and canonical_id is null
    ) candidates
  ) named
  where named.placed_id = placed.platform_id and placed.canonical_id is null`;
}

const insertObjects = `
  insert into canonical_objects (customer_id, id, entity_type)
  select $1, p.canonical_id, $2 from placed p
  where not exists (select 1 from canonical_objects o where o.customer_id = $1 and o.id = p.canonical_id)`;

const insertRecords = `
  with stored as (
    insert into platform_records (
      customer_id, platform, entity_type, platform_id, native_order, canonical_id, variant, currency, business_key, number,
      project_ref, customer_ref, contract_ref, invoice_ref,
      project_canonical_id, customer_canonical_id, contract_canonical_id, invoice_canonical_id, payload
    )
    select $1, $2, $3, i.platform_id, i.native_order, p.canonical_id, i.variant, i.currency, i.business_key, i.number,
      i.project_ref, i.customer_ref, i.contract_ref, i.invoice_ref,
      p.project_canonical_id, p.customer_canonical_id, p.contract_canonical_id, p.invoice_canonical_id, i.payload
    from placed p join incoming i on i.entity_type = $3 and i.platform_id = p.platform_id
    returning 1
  )
  select count(*)::int as count from stored`;
