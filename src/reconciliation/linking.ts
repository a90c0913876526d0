import { platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import { affectedBy } from '../database/affected';
import type { Store } from '../database/store';
import { keyGroups } from './groups';
import { parametersOf, type Round } from './round';

/**
 * Finds the objects that become one: those whose records are of one group. Pairs of platforms come in the order of
 * precedence, whichever platform is read, and an object grows from pair to pair. Existing links are kept, so two
 * objects stay apart when both have a record of one platform.
 *
 * The result is in `staged_merges`. A record that is about to be stored counts there as an object named by `+` and
 * its native ID.
 *
 * @returns how many links were made
 */
export async function linkGroups(store: Store, round: Round): Promise<number> {
  const { customerId, runId, entityType } = round;
  const [other] = await store.query(keyElsewhere, [customerId, entityType, others(round)]);
  if (other === undefined) return 0;
  const groups = linkRows(entityType);
  if ((await affectedBy(store, groups, [...parametersOf(round), platformNames])) === 0) return 0;
  const own = [customerId, entityType, runId];
  let linked = 0;
  for (const [place, [left, right]] of pairsOf(platformNames).entries()) {
    const merged = await affectedBy(store, mergePair, [...own, left, right, place]);
    linked += merged;
    if (merged === 0 || platformNames.length === 2) continue;
    for (const statement of carryOn) await store.query(statement, [...own, place]);
  }
  await store.query(placeLinked, own);
  return linked;
}

function others({ platform }: Round): readonly PlatformName[] {
  return platformNames.filter((name) => name !== platform);
}

// Where no other platform has a key, none can be equal.
const keyElsewhere = `
  select 1 from platform_records r
  where r.customer_id = $1 and r.entity_type = $2 and r.platform = any ($3::text[]) and r.business_key is not null
  limit 1`;

/** All pairs of platforms, in order of precedence. */
export function pairsOf(
  platforms: readonly PlatformName[],
): readonly (readonly [PlatformName, PlatformName])[] {
  return platforms.flatMap((left, place) =>
    platforms.slice(place + 1).map((right): readonly [PlatformName, PlatformName] => [left, right]),
  );
}

/** The members of groups that are not one object yet. */
function linkRows(entityType: StoredEntityType): string {
  return `
  with ${keyGroups(entityType)},
  spread as (
    select business_key, parent_key from grouped group by business_key, parent_key
    having min(canonical_id) <> max(canonical_id)
  ),
  open as (
    select g.* from grouped g
    join spread on spread.business_key = g.business_key and spread.parent_key = g.parent_key
  ),
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

// $1 customer, $2 type, $3 run, $4 and $5 a pair of platforms, $6 its place among the pairs. Each object has one record
// of a platform, so it is merged with one other here.
const mergePair = `
  insert into staged_merges (customer_id, run_id, entity_type, goes, stays, round, platforms)
  select l.customer_id, l.run_id, l.entity_type,
    case when l.canonical_id like '+%' then l.canonical_id else r.canonical_id end,
    case when l.canonical_id like '+%' then r.canonical_id else l.canonical_id end,
    $6, l.platforms || r.platforms
  from staged_links l join staged_links r on r.business_key = l.business_key and r.parent = l.parent
  where l.customer_id = $1 and l.run_id = $3 and l.entity_type = $2 and l.platform = $4
    and r.customer_id = $1 and r.run_id = $3 and r.entity_type = $2 and r.platform = $5
    and l.canonical_id <> r.canonical_id and not l.platforms && r.platforms`;

// With more than two platforms: what was merged counts as one for the pairs that follow. $4 is the place of the pair.
const ofPair = `m.customer_id = $1 and m.entity_type = $2 and m.run_id = $3 and m.round = $4`;
const carryOn = [
  `update staged_links l set canonical_id = m.stays, platforms = m.platforms from staged_merges m
    where l.customer_id = $1 and l.entity_type = $2 and l.run_id = $3 and ${ofPair} and l.canonical_id = m.goes`,
  `update staged_links l set platforms = m.platforms from staged_merges m
    where l.customer_id = $1 and l.entity_type = $2 and l.run_id = $3 and ${ofPair} and l.canonical_id = m.stays`,
  `update staged_merges e set stays = m.stays from staged_merges m
    where e.customer_id = $1 and e.entity_type = $2 and e.run_id = $3 and ${ofPair} and e.stays = m.goes`,
];

const placeLinked = `
  update staged_placements p set canonical_id = m.stays from staged_merges m
  where p.customer_id = $1 and p.entity_type = $2 and p.run_id = $3
    and m.customer_id = $1 and m.entity_type = $2 and m.run_id = $3 and m.goes = '+' || p.platform_id`;
