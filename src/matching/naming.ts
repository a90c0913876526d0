import { canonicalId } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/customer-transaction';
import { freshIdOf, nativeIdOf } from './own-ids';
import { ofRound, parametersOf, parentColumn, staged, type MatchingRound } from './round';

/** Records whose IDs are computed at a time. */
const SLICE = 5_000;

/**
 * Sees to the IDs of the placed records that found no partner: the digest of the key where that occurs once on its
 * platform, of parent and key where those do, else of platform and native ID; the last also where a digest is another
 * object's ID already. Digests are computed in code, by the one rule of the mapper.
 *
 * The first digest came with the record, as `own_id`, and nearly every record keeps it. So only the others are written:
 * they lose it, and get a `canonical_id` instead.
 */
export async function nameNew(tx: CustomerTransaction, round: MatchingRound): Promise<void> {
  const own = parametersOf(round);
  if ((await tx.store.execute(dropTakenIds, own)) === 0) return;
  await tx.store.query(markParents(parentColumn(round.entityType)), own);
  while (await nameSlice(tx, round));
}

/** The ID that a placed record, under an alias, is stored with. */
export function placedId(alias: string): string {
  return `coalesce(${alias}.canonical_id, ${alias}.own_id)`;
}

// Every record of the type on this platform that has a key.
const mine = (columns: string) => `
  select ${columns} from staged_placements p where ${staged('p')} and p.business_key is not null
  union all
  select ${columns} from platform_records p where ${ofRound('p')} and p.business_key is not null`;

const dropTakenIds = `
  update staged_placements p set own_id = null
  from (
    select n.platform_id from staged_placements n
    left join (
      select business_key from (${mine('p.business_key')}) keys group by business_key having count(*) > 1
    ) again on again.business_key = n.business_key
    left join canonical_objects o on o.customer_id = $1 and o.entity_type = $2 and o.id = n.own_id
    left join canonical_aliases a on a.customer_id = $1 and a.alias_id = n.own_id
    where ${staged('n')} and n.canonical_id is null
      and (again.business_key is not null or o.id is not null or a.alias_id is not null)
  ) taken
  where ${staged('p')} and p.platform_id = taken.platform_id`;

// Of the keys of records without an ID only: they are few.
function markParents(parent: string): string {
  return `
  with unnamed as (
    select distinct p.business_key from staged_placements p
    where ${staged('p')} and p.canonical_id is null and p.own_id is null and p.business_key is not null
  ),
  keyed as (
    select keys.business_key, keys.parent from (${mine(`p.business_key, p.${parent} as parent`)}) keys
    join unnamed on unnamed.business_key = keys.business_key
  )
  update staged_placements p set named_in = p.${parent}
  from (
    select business_key, parent from keyed where parent is not null group by business_key, parent having count(*) = 1
  ) once
  join (select business_key from keyed group by business_key having count(*) > 1) again on again.business_key = once.business_key
  where ${staged('p')} and p.canonical_id is null and p.own_id is null and p.business_key = once.business_key and p.${parent} = once.parent`;
}

/** @returns whether there may be more */
async function nameSlice(
  tx: CustomerTransaction,
  { runId, entityType, platform, cause }: MatchingRound,
): Promise<boolean> {
  const rows = await tx.query<{
    platform_id: string;
    business_key: string | null;
    named_in: string | null;
  }>(
    `select p.platform_id, p.business_key, p.named_in from staged_placements p
     where p.customer_id = $1 and p.entity_type = $2 and p.run_id = $3 and p.canonical_id is null and p.own_id is null limit ${SLICE}`,
    [entityType, runId],
  );
  const records = rows.map(({ platform_id: platformId }) => ({ platform, platformId }));
  const native = records.map((record) => nativeIdOf(tx.customerId, entityType, record));
  const fresh = records.map((record) => freshIdOf(tx.customerId, entityType, record, cause.id));
  const wanted = rows.map(({ business_key: key, named_in: parentId }, place) =>
    parentId === null || key === null
      ? native[place]
      : canonicalId(tx.customerId, entityType, { kind: 'key in parent', parentId, key }),
  );
  const ids = rows.map(({ platform_id }) => platform_id);
  await tx.execute(nameRows, [entityType, runId, ids, wanted, native, fresh]);
  return rows.length === SLICE;
}

// Without the list of IDs inside, all objects of the customer would be read.
const objectsOf = (ids: string) => `(
      select o.id from canonical_objects o where o.customer_id = $1 and o.entity_type = $2 and o.id = any (${ids}::text[])
    )`;
const aliasesOf = (ids: string) => `(
      select a.alias_id from canonical_aliases a where a.customer_id = $1 and a.alias_id = any (${ids}::text[])
    )`;
const nameRows = `
  update staged_placements p set canonical_id = n.id
  from (
    select given.platform_id,
      case
        when o.id is null and a.alias_id is null then given.wanted
        when native_o.id is null and native_a.alias_id is null then given.native
        else given.fresh
      end as id
    from unnest($4::text[], $5::text[], $6::text[], $7::text[]) as given (platform_id, wanted, native, fresh)
    left join ${objectsOf('$5')} o on o.id = given.wanted
    left join ${aliasesOf('$5')} a on a.alias_id = given.wanted
    left join ${objectsOf('$6')} native_o on native_o.id = given.native
    left join ${aliasesOf('$6')} native_a on native_a.alias_id = given.native
  ) n
  where p.customer_id = $1 and p.entity_type = $2 and p.run_id = $3 and p.platform_id = n.platform_id`;
