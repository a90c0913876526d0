import type { StoredEntityType } from '@app/mapper';
import { parentColumn, staged } from '../matching-round';

/** The version of the rule of matching. Raised when records may be matched otherwise; each run keeps the one it went by. */
export const MATCHING_VERSION = 1;

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
 *
 * Few keys occur twice on a platform. Those are found by hashing; only their records are sorted and judged.
 *
 * @param keys SQL of a list of keys, where only their groups are wanted
 */
export function keyGroups(entityType: StoredEntityType, keys?: string): string {
  const wanted = (alias: string) => (keys === undefined ? '' : `and ${alias}.business_key = any (${keys})`);
  const parent = parentColumn(entityType);
  return `
  everywhere as (
    select $3::text collate "C" as platform, p.platform_id, '+' || p.platform_id as canonical_id, p.business_key, p.${parent} as parent
    from staged_placements p
    where ${staged('p')} and p.business_key is not null ${wanted('p')}
    union all
    select r.platform, r.platform_id, r.canonical_id, r.business_key, r.${parent}
    from platform_records r
    where r.customer_id = $1 and r.platform = any ($5::text[]) and r.entity_type = $2 and r.business_key is not null
      ${wanted('r')}
  ),
  repeated as (
    select distinct business_key from everywhere group by business_key, platform having count(*) > 1
  ),
  keyed as (
    select e.*, count(*) over (partition by e.business_key, e.platform) as same_key
    from everywhere e join repeated on repeated.business_key = e.business_key
  ),
  parented as (
    select k.*, parent is not null and count(*) over (partition by business_key, platform, parent) = 1 as once_in_parent,
      bool_or(same_key = 1) over (partition by business_key, parent) as beside_once
    from keyed k
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
    select e.platform, e.platform_id, e.canonical_id, e.business_key, '' as parent_key from everywhere e
    where not exists (select 1 from repeated where repeated.business_key = e.business_key)
    union all
    select platform, platform_id, canonical_id, business_key, case when of_key and not contradicts then '' else parent end
    from judged where (of_key and not contradicts) or once_in_parent
  )`;
}

/** The name of a record's group; null for a record without one. */
export function groupNameOf({
  business_key: key,
  parent_key: parent,
}: {
  readonly business_key: string | null;
  readonly parent_key: string | null;
}): string | null {
  // No key holds a control character.
  return key === null || parent === null ? null : `${key}\u001f${parent}`;
}
