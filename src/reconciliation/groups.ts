import type { StoredEntityType } from '@app/mapper';
import { parentColumn, staged } from './round';

/**
 * The rule of matching, as common table expressions over all records of a type on all platforms: $1 to $4 of a round, $5
 * the names of the platforms. `grouped` has every record that belongs to a group; a group is named by `business_key` and
 * `parent_key`, and has one record of a platform at most. `everywhere` has every record with a key.
 *
 * - A record whose key occurs once on its platform belongs to the key's group.
 * - A record that occurs once under its key and parent belongs to the group of both. Where a record of the key's group has
 *   the same parent, the groups are one.
 * - The key's group contradicts itself when that gives it two records of one platform: two of its records have different
 *   parents, and some platform has a record under each. Then parents alone decide for this key.
 *
 * The rule is a function of keys and parents alone, so the order of connects has no part in it.
 */
export function keyGroups(entityType: StoredEntityType): string {
  const parent = parentColumn(entityType);
  return `
  everywhere as (
    select $3::text collate "C" as platform, p.platform_id, '+' || p.platform_id as canonical_id, p.business_key, p.${parent} as parent
    from staged_placements p
    where ${staged('p')} and p.business_key is not null
    union all
    select r.platform, r.platform_id, r.canonical_id, r.business_key, r.${parent}
    from platform_records r
    where r.customer_id = $1 and r.platform = any ($5::text[]) and r.entity_type = $2 and r.business_key is not null
  ),
  counted as (
    select e.*, count(*) over (partition by business_key, platform) as same_key from everywhere e
  ),
  keyed as (
    select c.*, max(same_key) over (partition by business_key) as most from counted c
  ),
  parented as (
    select k.*, parent is not null and count(*) over (partition by business_key, platform, parent) = 1 as once_in_parent,
      bool_or(same_key = 1) over (partition by business_key, parent) as beside_once
    from keyed k where most > 1
  ),
  joined as (
    select p.*, same_key = 1 or (once_in_parent and beside_once) as of_key from parented p
  ),
  tallied as (
    select j.*, count(*) filter (where of_key) over (partition by business_key, platform) as here from joined j
  ),
  judged as (
    select t.*, max(here) over (partition by business_key) > 1 as contradicts from tallied t
  ),
  grouped as (
    select platform, platform_id, canonical_id, business_key, '' as parent_key from keyed where most = 1
    union all
    select platform, platform_id, canonical_id, business_key, case when of_key and not contradicts then '' else parent end
    from judged where (of_key and not contradicts) or once_in_parent
  )`;
}
