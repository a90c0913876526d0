import { keyRules, type StoredEntityType } from '@app/mapper';
import { referenceColumns, type ReferenceField } from '../../records/platform-records/record-columns';

/**
 * The version of the matching rule. Raise it when records may be matched differently. Each run stores the version that
 * it applied.
 */
export const MATCHING_VERSION = 1;

/** Where the records come from whose groups are wanted. */
export interface GroupedRecords {
  /** A relation with the columns of `platform_records` that holds the stored records; by default those of now. */
  readonly stored?: string;
  /** SQL of a list of platforms. Records of other platforms do not count. */
  readonly platforms: string;
  /** A selection of further records that are not stored yet: platform, native ID, object, key and parent. */
  readonly arriving?: string;
  /** SQL of a list of keys, where only the groups of these are wanted. */
  readonly keys?: string;
}

/**
 * SQL for the groups of a type's records by the matching rule, as common table expressions. `$1` is the customer, `$2`
 * the type. `grouped` has every record that belongs to a group; `business_key` and `parent_key` identify the group,
 * which has at most one record of a platform; `is_unique` tells whether the record's key occurs once on its platform.
 * `everywhere` has every record with a key. `judged` has the records whose key repeats.
 *
 * - A record whose key occurs once on its platform belongs to the key's group.
 * - A record that occurs once under its key and parent belongs to the group of both. If a record of the key's group has
 *   the same parent, the two groups are one.
 * - The key's group contradicts itself if that gives it two records of one platform: two of its records have different
 *   parents, and some platform has a record under each. Then parents alone decide for this key.
 *
 * Groups are a function of keys and parents alone, so the order of connects has no effect. `linkRecords` makes objects
 * of them.
 *
 * Few keys occur twice on a platform. The statement finds them by hashing, and sorts only their records.
 */
export function keyGroups(
  entityType: StoredEntityType,
  { stored = 'platform_records', platforms, arriving, keys }: GroupedRecords,
): string {
  return `
  everywhere as (
    ${arriving === undefined ? '' : `${arriving} union all`}
    select r.platform, r.platform_id, r.canonical_id, r.business_key, r.${parentColumn(entityType)} as parent
    from ${stored} r
    where r.customer_id = $1 and r.platform = any (${platforms}) and r.entity_type = $2 and r.business_key is not null
      ${keys === undefined ? '' : `and r.business_key = any (${keys})`}
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
    select e.platform, e.platform_id, e.canonical_id, e.business_key, e.parent, '' as parent_key, true as is_unique
    from everywhere e
    where not exists (select 1 from repeated where repeated.business_key = e.business_key)
    union all
    select platform, platform_id, canonical_id, business_key, parent,
      case when of_key and not contradicts then '' else parent end, same_key = 1
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

/**
 * The reference column of the parent that distinguishes equal keys. For a type without parents it is a column that its
 * records never fill.
 */
export function parentColumn(entityType: StoredEntityType): string {
  const parent = keyRules[entityType].parent ?? 'invoice_id';
  return referenceColumns[parent as ReferenceField].id;
}
