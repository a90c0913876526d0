import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { Store } from '../database/transaction/store';
import { keyGroups } from './groups';
import { parametersOf, staged, type MatchingRound } from './round';

/**
 * Makes one by the rule what two platforms have, where these are all platforms and no decision by people stands: then a
 * group is a pair at most, and no object grows from pair to pair. New records are placed with the stored object that they
 * belong to; pairs of stored objects go to `staged_merges`.
 *
 * @returns how many links were made
 */
export async function linkPairs(
  store: Store,
  round: MatchingRound,
  platforms: readonly [PlatformName, PlatformName],
): Promise<number> {
  const [row] = await store.query<{ linked: number }>(pairs(round.entityType), [
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
