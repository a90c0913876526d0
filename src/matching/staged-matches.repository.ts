import { StagedPlacementRow } from '../database/entities/staged-placement.entity';
import { StagedMergeRow } from '../database/entities/staged-merge.entity';
import { StagedLinkRow } from '../database/entities/staged-link.entity';
import { platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/store';
import type { Merges } from '../records/objects/canonical-objects.repository';
import { referenceColumns } from '../records/platform-records/record-columns';
import { keyGroups } from './key-groups.sql';
import { follow, targetOf, type NamedBy } from './references.sql';
import {
  ofRound,
  parametersOf,
  parentColumn,
  referencesOf,
  staged,
  type MatchingRound,
} from './matching-round';
import { decidedClusters } from './standing-decisions.repository';

// What matching finds out about staged records, until it is stored: `staged_placements` (the object of each new record),
// `staged_links` (the members of groups that become one) and `staged_merges` (the objects that become others).

/**
 * Places the staged records that are not stored yet, with what their references lead to.
 *
 * @param named by what they refer to others
 */
export async function placeNew(tx: CustomerTransaction, round: MatchingRound, named: NamedBy): Promise<void> {
  await tx.query(placements(round.entityType, named), parametersOf(round));
}

function placements(entityType: StoredEntityType, named: NamedBy): string {
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

// Where no other platform has a key, none can be equal. The order is that of the index of keys: without it, the planner may
// go through the table, in the hope that one comes soon.
/** Whether records of a type have keys on a platform. */
export async function hasKeys(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  platform: PlatformName,
): Promise<boolean> {
  const found = await tx.query(
    `select 1 from platform_records r
     where r.customer_id = $1 and r.entity_type = $2 and r.platform = $3 and r.business_key is not null
     order by r.business_key limit 1`,
    [entityType, platform],
  );
  return found.length > 0;
}

/**
 * Makes one by the rule what two platforms have, where these are all platforms and no decision by people stands: then a
 * group is a pair at most, and no object grows from pair to pair. New records are placed with the stored object that they
 * belong to; pairs of stored objects go to `staged_merges`.
 *
 * @returns how many links were made
 */
export async function linkPairs(
  tx: CustomerTransaction,
  round: MatchingRound,
  platforms: readonly [PlatformName, PlatformName],
): Promise<number> {
  const [row] = await tx.query<{ linked: number }>(pairs(round.entityType), [
    ...parametersOf(round),
    platforms,
    ...platforms,
  ]);
  return row?.linked ?? 0;
}

// Each platform has one record of a group. An object that has a record of the other platform already stays as it is.
function pairs(entityType: StoredEntityType): string {
  return `
  with ${keyGroups(entityType)},
  pairs as (
    select
      case when l.canonical_id like '+%' then l.canonical_id else r.canonical_id end as goes,
      case when l.canonical_id like '+%' then r.canonical_id else l.canonical_id end as stays
    from grouped l join grouped r on r.business_key = l.business_key and r.parent_key = l.parent_key
    where l.platform = $6 and r.platform = $7 and l.canonical_id <> r.canonical_id
      and not exists (${recordOf('l', '$7')}) and not exists (${recordOf('r', '$6')})
  ),
  placed as (
    update staged_placements p set canonical_id = pairs.stays from pairs
    where ${staged('p')} and pairs.goes = '+' || p.platform_id
    returning 1
  ),
  merged as (
    insert into staged_merges (customer_id, run_id, entity_type, goes, stays, round, platforms)
    select $1, $4, $2, pairs.goes, pairs.stays, 0, $5::text[] from pairs where pairs.goes not like '+%'
    returning 1
  )
  select (select count(*) from placed)::int + (select count(*) from merged)::int as linked`;
}

const recordOf = (object: string, platform: string) => `
  select 1 from platform_records h
  where h.customer_id = $1 and h.entity_type = $2 and h.platform = ${platform} and h.canonical_id = ${object}.canonical_id`;

/** By what records become one: by their keys alone, by their keys where no decision speaks against it, or by decisions. */
export type LinkRule = 'keys' | 'keys behind decisions' | 'decisions';

const linksBy = {
  keys: byRule,
  'keys behind decisions': byRuleBehindDecisions,
  decisions: byDecision,
} as const;

/** Stages the members of groups that are not one object yet. @returns how many */
export function stageLinks(tx: CustomerTransaction, round: MatchingRound, rule: LinkRule): Promise<number> {
  return tx.execute(linksBy[rule](round.entityType), [...parametersOf(round), platformNames]);
}

/**
 * Stages which objects of two platforms become one.
 *
 * @param place of the pair among all pairs of platforms
 * @returns how many
 */
export async function mergeLinked(
  tx: CustomerTransaction,
  { entityType, runId }: MatchingRound,
  [left, right]: readonly [PlatformName, PlatformName],
  place: number,
): Promise<number> {
  const merged = await tx.execute(mergePair, [entityType, runId, left, right, place]);
  if (merged === 0 || platformNames.length === 2) return merged;
  for (const statement of carryOn) await tx.query(statement, [entityType, runId, place]);
  return merged;
}

/** Places the records whose objects become others. */
export async function placeLinked(
  tx: CustomerTransaction,
  { entityType, runId, standing }: MatchingRound,
): Promise<void> {
  await tx.query(placeNewLinked, [entityType, runId]);
  if (standing?.links === true) await tx.query(placeAgain, [entityType, runId]);
}

/** Forgets the links and merges of a round. */
export async function forgetMerges(
  tx: CustomerTransaction,
  { entityType, runId }: MatchingRound,
): Promise<void> {
  const ofRound = { customerId: tx.customerId, entityType, runId };
  await tx.rows(StagedLinkRow).delete(ofRound);
  await tx.rows(StagedMergeRow).delete(ofRound);
}

/** Deletes what a run has found out; what all runs of the customer have found out when none is named. */
export async function deleteStagedMatches(tx: CustomerTransaction, runId?: string): Promise<void> {
  const found = { customerId: tx.customerId, ...(runId !== undefined && { runId }) };
  await tx.rows(StagedPlacementRow).delete(found);
  await tx.rows(StagedLinkRow).delete(found);
  await tx.rows(StagedMergeRow).delete(found);
}

/** Stored objects that become others in a run. What begins with a plus is a record that is not stored yet. */
export function storedMerges(entityType: StoredEntityType, runId: string): Merges {
  return {
    relation: 'staged_merges m',
    condition: `m.customer_id = $1 and m.entity_type = $2 and m.run_id = $3 and m.goes not like '+%'`,
    parameters: [entityType, runId],
  };
}

/** Whether there are any. */
export async function anyMerge(
  tx: CustomerTransaction,
  { relation, condition, parameters }: Merges,
): Promise<boolean> {
  const [any] = await tx.query(`select 1 from ${relation} where ${condition} limit 1`, parameters);
  return any !== undefined;
}

/** Stages merges that people decide on, under the ID of the change. */
export async function stageMerges(
  tx: CustomerTransaction,
  changeId: string,
  entityType: StoredEntityType,
  merges: readonly { readonly goes: string; readonly stays: string }[],
): Promise<void> {
  await tx.query(
    `insert into staged_merges (customer_id, run_id, entity_type, goes, stays, round, platforms)
     select $1, $2, $3, merged.goes, merged.stays, 0, '{}' from unnest($4::text[], $5::text[]) as merged (goes, stays)`,
    [changeId, entityType, merges.map(({ goes }) => goes), merges.map(({ stays }) => stays)],
  );
}

/** Forgets them. */
export async function unstageMerges(tx: CustomerTransaction, changeId: string): Promise<void> {
  await tx.rows(StagedMergeRow).delete({ customerId: tx.customerId, runId: changeId });
}

/** The members of groups that are not one object yet. */
function byRule(entityType: StoredEntityType): string {
  return `
  with ${keyGroups(entityType)}, ${openGroups},
  held as (
    select r.canonical_id, array_agg(r.platform) as platforms from platform_records r
    where r.customer_id = $1 and r.platform = any ($5::text[]) and r.entity_type = $2
      and r.canonical_id in (select canonical_id from open)
    group by r.canonical_id
  )
  insert into staged_links (
    customer_id, run_id, entity_type, platform, platform_id, business_key, parent, canonical_id, platforms
  )
  select $1, $4, $2, o.platform, o.platform_id, o.business_key, o.parent_key, o.canonical_id,
    coalesce(held.platforms, array[o.platform])
  from open o left join held on held.canonical_id = o.canonical_id`;
}

const openGroups = `
  spread as (
    select business_key, parent_key from grouped group by business_key, parent_key
    having min(canonical_id) <> max(canonical_id)
  ),
  open as (
    select g.* from grouped g
    join spread on spread.business_key = g.business_key and spread.parent_key = g.parent_key
  )`;

// The place of a record on its platform is taken as long as a decision links it, also while it is not there.
function byRuleBehindDecisions(entityType: StoredEntityType): string {
  return insertBound(
    `${decidedClusters}, ${keyGroups(entityType)}, ${openGroups}, ${membersOfOpen}`,
    'coalesce(held.platforms, array[o.platform]) || bound.spots',
  );
}

// A unit is a group; its members have no key in common.
function byDecision(): string {
  const groups = `${decidedClusters},
  present as (
    select $3::text collate "C" as platform, p.platform_id, coalesce(p.canonical_id, '+' || p.platform_id) as canonical_id
    from staged_placements p where ${staged('p')}
    union all
    select r.platform, r.platform_id, r.canonical_id from platform_records r
    where r.customer_id = $1 and r.platform = any ($5::text[]) and r.entity_type = $2
  ),
  grouped as (
    select p.platform, p.platform_id, p.canonical_id, u.unit as business_key, '' as parent_key
    from units u join present p on p.platform = u.platform and p.platform_id = u.platform_id
  )`;
  return insertBound(
    `${groups}, ${openGroups}, ${membersOfOpen}`,
    'coalesce(held.platforms, array[o.platform])',
  );
}

// Every record of the objects at hand, and what decisions say of them.
const membersOfOpen = `
  members as (
    select o.canonical_id, o.platform, o.platform_id from open o where o.canonical_id like '+%'
    union
    select r.canonical_id, r.platform, r.platform_id from platform_records r
    where r.customer_id = $1 and r.platform = any ($5::text[]) and r.entity_type = $2
      and r.canonical_id in (select canonical_id from open)
    union
    select p.canonical_id, $3::text collate "C", p.platform_id from staged_placements p
    where ${staged('p')} and p.canonical_id in (select canonical_id from open)
  ),
  held as (select m.canonical_id, array_agg(m.platform) as platforms from members m group by m.canonical_id),
  bound as (
    select m.canonical_id, array_agg(distinct d.spot) as spots, array_agg(distinct d.unit) as units,
      array_agg(distinct d.against) filter (where d.against is not null) as against
    from members m join decided d on d.platform = m.platform and d.platform_id = m.platform_id
    group by m.canonical_id
  )`;

// The relations belong to what is selected: in front of the insert, a cluster forgets that they are recursive.
function insertBound(relations: string, platforms: string): string {
  return `
  insert into staged_links (
    customer_id, run_id, entity_type, platform, platform_id, business_key, parent, canonical_id, platforms, units, against
  )
  with recursive ${relations}
  select $1, $4, $2, o.platform, o.platform_id, o.business_key, o.parent_key, o.canonical_id,
    ${platforms}, bound.units, bound.against
  from open o
  left join held on held.canonical_id = o.canonical_id
  left join bound on bound.canonical_id = o.canonical_id`;
}

// $1 customer, $2 type, $3 run, $4 and $5 a pair of platforms, $6 its place among the pairs. Each object has one record
// of a platform, so it is merged with one other here.
const mergePair = `
  insert into staged_merges (customer_id, run_id, entity_type, goes, stays, round, platforms, units, against)
  select l.customer_id, l.run_id, l.entity_type,
    case when l.canonical_id like '+%' then l.canonical_id else r.canonical_id end,
    case when l.canonical_id like '+%' then r.canonical_id else l.canonical_id end,
    $6, l.platforms || r.platforms, l.units || r.units, l.against || r.against
  from staged_links l join staged_links r on r.business_key = l.business_key and r.parent = l.parent
  where l.customer_id = $1 and l.run_id = $3 and l.entity_type = $2 and l.platform = $4
    and r.customer_id = $1 and r.run_id = $3 and r.entity_type = $2 and r.platform = $5
    and l.canonical_id <> r.canonical_id and not l.platforms && r.platforms and (l.units && r.against) is not true`;

// With more than two platforms: what was merged counts as one for the pairs that follow. $4 is the place of the pair.
const ofPair = `m.customer_id = $1 and m.entity_type = $2 and m.run_id = $3 and m.round = $4`;
const carryOn = [
  `update staged_links l set canonical_id = m.stays, platforms = m.platforms, units = m.units, against = m.against
    from staged_merges m
    where l.customer_id = $1 and l.entity_type = $2 and l.run_id = $3 and ${ofPair} and l.canonical_id = m.goes`,
  `update staged_links l set platforms = m.platforms, units = m.units, against = m.against from staged_merges m
    where l.customer_id = $1 and l.entity_type = $2 and l.run_id = $3 and ${ofPair} and l.canonical_id = m.stays`,
  `update staged_merges e set stays = m.stays from staged_merges m
    where e.customer_id = $1 and e.entity_type = $2 and e.run_id = $3 and ${ofPair} and e.stays = m.goes`,
];

const placeNewLinked = `
  update staged_placements p set canonical_id = m.stays from staged_merges m
  where p.customer_id = $1 and p.entity_type = $2 and p.run_id = $3
    and m.customer_id = $1 and m.entity_type = $2 and m.run_id = $3 and m.goes = '+' || p.platform_id`;

// What a decision has placed into an object that goes now.
const placeAgain = `
  update staged_placements p set canonical_id = m.stays from staged_merges m
  where p.customer_id = $1 and p.entity_type = $2 and p.run_id = $3
    and m.customer_id = $1 and m.entity_type = $2 and m.run_id = $3 and m.goes = p.canonical_id`;

/** The ID that a placed record, under an alias, is stored with. */
export function placedId(alias: string): string {
  return `coalesce(${alias}.canonical_id, ${alias}.own_id)`;
}

/** Takes the ID from placed records whose own ID is taken or whose key is not the only one. @returns how many */
export function dropTakenIds(tx: CustomerTransaction, round: MatchingRound): Promise<number> {
  return tx.execute(takenIds, parametersOf(round));
}

/** Marks the placed records without an ID whose key is the only one under their parent. */
export async function markParents(tx: CustomerTransaction, round: MatchingRound): Promise<void> {
  await tx.query(parentMarks(parentColumn(round.entityType)), parametersOf(round));
}

/** A placed record without an ID. */
export interface UnnamedPlacement {
  readonly platform_id: string;
  readonly business_key: string | null;
  /** The parent in which its key is the only one. */
  readonly named_in: string | null;
}

/** Placed records without an ID. */
export function unnamedPlacements(
  tx: CustomerTransaction,
  { entityType, runId }: MatchingRound,
  limit: number,
): Promise<readonly UnnamedPlacement[]> {
  return tx.query<UnnamedPlacement>(
    `select p.platform_id, p.business_key, p.named_in from staged_placements p
     where p.customer_id = $1 and p.entity_type = $2 and p.run_id = $3 and p.canonical_id is null and p.own_id is null
     limit $4`,
    [entityType, runId, limit],
  );
}

/** Gives placed records the first of their three IDs that is free, in the order of the lists. */
export async function namePlacements(
  tx: CustomerTransaction,
  { entityType, runId }: MatchingRound,
  {
    ids,
    wanted,
    native,
    fresh,
  }: Readonly<Record<'ids' | 'native' | 'fresh', readonly string[]>> & {
    readonly wanted: readonly (string | undefined)[];
  },
): Promise<void> {
  await tx.query(nameRows, [entityType, runId, ids, wanted, native, fresh]);
}

// Every record of the type on this platform that has a key.
const mine = (columns: string) => `
  select ${columns} from staged_placements p where ${staged('p')} and p.business_key is not null
  union all
  select ${columns} from platform_records p where ${ofRound('p')} and p.business_key is not null`;

const takenIds = `
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
function parentMarks(parent: string): string {
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
