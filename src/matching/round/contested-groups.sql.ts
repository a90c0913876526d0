import type { StoredEntityType } from '@app/mapper';
import { groupsOfRound, newObject, staged } from './matching-round';

/**
 * SQL that divides the groups of several objects, as common table expressions. `$1` to `$4` are the parameters of a
 * round, `$5` the names of the platforms in order of precedence.
 *
 * Most groups are uncontested: none of their objects has a record in another group of several objects, no two of their
 * objects have records of one platform, and no decision names one of their records. Such a group becomes one object, in
 * whatever order the pairs of platforms are linked, and the stored object that has precedence stays. `uncontested` has
 * a row for each record of another object of the group: `goes` is the record's object, and `stays` the object that
 * stays.
 *
 * The other groups are contested, and `linkRecords` links them. `contested_records` has the records of their objects,
 * each with its group. An object is left out of a group if it shares a platform with every other object of the group,
 * because it can link nothing.
 *
 * @param decided whether there are standing decisions about records of the type
 */
export function contestedGroups(entityType: StoredEntityType, decided: boolean): string {
  return `
  ${groupsOfRound(entityType)}, ${openGroups},
  ${decided ? `${decisions},` : ''}
  contested as (${clashingGroups} ${decided ? `union ${decidedGroups}` : ''}),
  free as (
    select o.* from open o
    left join contested c on c.business_key = o.business_key and c.parent_key = o.parent_key
    where c.business_key is null
  ),
  heads as (
    select business_key, parent_key, substr(min(${precedence} || canonical_id), 5) as canonical_id
    from free group by business_key, parent_key
  ),
  uncontested as (
    select f.canonical_id as goes, h.canonical_id as stays
    from free f join heads h on h.business_key = f.business_key and h.parent_key = f.parent_key
    where f.canonical_id <> h.canonical_id
  ),
  linkable as (${linkableRecords}),
  contested_objects as (select canonical_id from linkable ${decided ? `union ${objectsToLink}` : ''}),
  contested_records as (
    select r.platform, r.platform_id, r.canonical_id, l.business_key, l.parent_key
    from (
      select $3::text collate "C" as platform, p.platform_id, ${newObject('p')} as canonical_id
      from staged_placements p
      where ${staged('p')} and ${newObject('p')} in (select canonical_id from contested_objects)
      union all
      select r.platform, r.platform_id, r.canonical_id from platform_records r
      where ${ofType('r')} and r.canonical_id in (select canonical_id from contested_objects)
    ) r
    left join linkable l on l.platform = r.platform and l.platform_id = r.platform_id
  )`;
}

// Four digits that sort stored objects before new ones, and platforms in the order of precedence.
const precedence = `(
      array_position($5::text[], platform) + case when canonical_id like '+%' then 2000 else 1000 end)::text`;

const ofType = (alias: string) =>
  `${alias}.customer_id = $1 and ${alias}.platform = any ($5::text[]) and ${alias}.entity_type = $2`;

// `open` has the records of groups of several objects, `beside` the other records of these objects, and `clashing` the
// pairs of objects of a group that have records of one platform.
const openGroups = `
  open as (
    select g.* from grouped g where exists (
      select 1 from grouped other
      where other.business_key = g.business_key and other.parent_key = g.parent_key and other.canonical_id <> g.canonical_id
    )
  ),
  beside as (
    select o.business_key, o.parent_key, o.canonical_id, r.platform, r.platform_id
    from open o join platform_records r on r.canonical_id = o.canonical_id
    where ${ofType('r')} and r.platform <> o.platform
  ),
  clashing as (
    select b.business_key, b.parent_key, b.canonical_id as one, x.canonical_id as other
    from beside b join (
      select business_key, parent_key, platform, canonical_id from open
      union all
      select business_key, parent_key, platform, canonical_id from beside
    ) x on x.business_key = b.business_key and x.parent_key = b.parent_key and x.platform = b.platform
    where x.canonical_id <> b.canonical_id
  )`;

const clashingGroups = `
    select business_key, parent_key from clashing
    union
    select b.business_key, b.parent_key from beside b join open o on o.platform = b.platform and o.platform_id = b.platform_id
    where o.business_key <> b.business_key or o.parent_key <> b.parent_key`;

const linkableRecords = `
    select distinct o.platform, o.platform_id, o.canonical_id, o.business_key, o.parent_key
    from contested c
    join open o on o.business_key = c.business_key and o.parent_key = c.parent_key
    join open x on x.business_key = c.business_key and x.parent_key = c.parent_key and x.canonical_id <> o.canonical_id
    where not exists (${clash('o', 'x')}) and not exists (${clash('x', 'o')})`;

function clash(one: string, other: string): string {
  return `
      select 1 from clashing k
      where k.business_key = c.business_key and k.parent_key = c.parent_key
        and k.one = ${one}.canonical_id and k.other = ${other}.canonical_id`;
}

const decisions = `
  decisions as (
    select d.decision, d.platform, d.platform_id, d.other_platform, d.other_platform_id from reconciliation_decisions d
    where d.customer_id = $1 and d.entity_type = $2 and d.withdrawn_at is null
  ),
  named as (
    select platform, platform_id from decisions
    union
    select other_platform, other_platform_id from decisions
  ),
  named_objects as (
    select r.platform, r.platform_id, r.canonical_id
    from named n join platform_records r on r.platform = n.platform and r.platform_id = n.platform_id
    where ${ofType('r')}
    union all
    select n.platform, n.platform_id, ${newObject('p')}
    from named n join staged_placements p on p.platform_id = n.platform_id
    where ${staged('p')} and n.platform = $3
  )`;

const decidedGroups = `
    select o.business_key, o.parent_key from open o join named_objects n on n.canonical_id = o.canonical_id`;

// Objects that a must-link constraint is to make one, with or without a group. The other record of a constraint may not
// exist. Then a further constraint may go on from there to a third record.
const objectsToLink = `
    select side.canonical_id
    from decisions d
    left join named_objects one on one.platform = d.platform and one.platform_id = d.platform_id
    left join named_objects other on other.platform = d.other_platform and other.platform_id = d.other_platform_id
    cross join lateral (values (one.canonical_id), (other.canonical_id)) as side (canonical_id)
    where d.decision = 'link' and one.canonical_id is distinct from other.canonical_id and side.canonical_id is not null`;
