import { platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/customer-transaction';
import type { Store } from '../database/transaction/store';
import { keyGroups } from './groups';
import { mergeObjects } from './merging';
import { linkPairs } from './pairing';
import { parametersOf, staged, type MatchingRound } from './round';
import { decidedClusters } from './standing';

/**
 * Makes one the objects whose records decisions link, and then finds those that become one by the rule: whose records are
 * of one group, and that no decision keeps apart. Pairs of platforms come in the order of precedence, whichever platform
 * is read, and an object grows from pair to pair. Existing links are kept, so two objects stay apart when both have a
 * record of one platform.
 *
 * What becomes of stored objects is in `staged_merges`. A record that is about to be stored counts as an object named by `+`
 * and its native ID, and is placed.
 *
 * @returns how many links were made
 */
export async function linkGroups(tx: CustomerTransaction, round: MatchingRound): Promise<number> {
  const { entityType, standing } = round;
  const elsewhere = await Promise.all(
    others(round).map((platform) => tx.query(anyKey, [entityType, platform])),
  );
  const decided = standing?.links === true ? await linkDecided(tx, round) : 0;
  if (elsewhere.every((found) => found.length === 0)) return decided;
  const [first, second, ...more] = platformNames;
  if (standing === undefined && first !== undefined && second !== undefined && more.length === 0)
    return linkPairs(tx.store, round, [first, second]);
  return decided + (await linkRows(tx.store, round, standing === undefined ? byRule : byRuleBehindDecisions));
}

/** Records that are one by decision, and are not in one object: where one of them was read anew. */
async function linkDecided(tx: CustomerTransaction, round: MatchingRound): Promise<number> {
  const linked = await linkRows(tx.store, round, byDecision);
  if (linked === 0) return 0;
  await mergeObjects(tx, round);
  const own = [round.entityType, round.runId];
  for (const table of ['staged_links', 'staged_merges'])
    await tx.query(`delete from ${table} where customer_id = $1 and entity_type = $2 and run_id = $3`, own);
  return linked;
}

async function linkRows(
  store: Store,
  round: MatchingRound,
  rows: (entityType: StoredEntityType) => string,
): Promise<number> {
  const { customerId, runId, entityType, standing } = round;
  const found = await store.execute(rows(entityType), [...parametersOf(round), platformNames]);
  if (found === 0) return 0;
  const own = [customerId, entityType, runId];
  let linked = 0;
  for (const [place, [left, right]] of pairsOf(platformNames).entries()) {
    const merged = await store.execute(mergePair, [...own, left, right, place]);
    linked += merged;
    if (merged === 0 || platformNames.length === 2) continue;
    for (const statement of carryOn) await store.query(statement, [...own, place]);
  }
  await store.query(placeLinked, own);
  if (standing?.links === true) await store.query(placeAgain, own);
  return linked;
}

function others({ platform }: MatchingRound): readonly PlatformName[] {
  return platformNames.filter((name) => name !== platform);
}

// Where no other platform has a key, none can be equal. The order is that of the index of keys: without it, the planner may
// go through the table, in the hope that one comes soon.
const anyKey = `
  select 1 from platform_records r
  where r.customer_id = $1 and r.entity_type = $2 and r.platform = $3 and r.business_key is not null
  order by r.business_key limit 1`;

/** All pairs of platforms, in order of precedence. */
export function pairsOf(
  platforms: readonly PlatformName[],
): readonly (readonly [PlatformName, PlatformName])[] {
  return platforms.flatMap((left, place) =>
    platforms.slice(place + 1).map((right): readonly [PlatformName, PlatformName] => [left, right]),
  );
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

const placeLinked = `
  update staged_placements p set canonical_id = m.stays from staged_merges m
  where p.customer_id = $1 and p.entity_type = $2 and p.run_id = $3
    and m.customer_id = $1 and m.entity_type = $2 and m.run_id = $3 and m.goes = '+' || p.platform_id`;

// What a decision has placed into an object that goes now.
const placeAgain = `
  update staged_placements p set canonical_id = m.stays from staged_merges m
  where p.customer_id = $1 and p.entity_type = $2 and p.run_id = $3
    and m.customer_id = $1 and m.entity_type = $2 and m.run_id = $3 and m.goes = p.canonical_id`;
