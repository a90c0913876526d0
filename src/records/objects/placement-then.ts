/**
 * SQL for the objects that records and IDs belonged to at a time. `$1` must be the customer. From the merge of its
 * object on, an ID is an alias of the remaining object, until that object is merged itself, or the records with the ID leave it.
 */

const goesInto = 'coalesce(a.merged_into, a.canonical_id)';
const isAlias = (at: string): string => `(a.since is null or a.since <= ${at}::timestamptz)`;

/** A relation of the aliases at a time, and of the IDs into whose objects theirs had been merged. */
const aliasesThen = (at: string): string => `(
  select a.alias_id, ${goesInto} as goes_into from canonical_aliases a where a.customer_id = $1 and ${isAlias(at)}
  union all
  select a.alias_id, a.merged_into from ended_aliases a
  where a.customer_id = $1 and ${isAlias(at)} and a.until > ${at}::timestamptz
)`;

/** SQL for the object that an ID names now: the object of an alias, otherwise the ID itself. @param id SQL for the ID */
export function objectNow(id: string): string {
  return `coalesce(
    (select l.canonical_id from canonical_aliases l where l.customer_id = $1 and l.alias_id = ${id}), ${id})`;
}

/**
 * The object that an ID named at a time: the ID itself if it was no alias then.
 *
 * @param id SQL for the ID; null gives null
 * @param at SQL for the time
 */
export function objectThen(id: string, at: string): string {
  return `(
    with recursive named (id) as (
      select (${id})::text collate "C"
      union
      select l.goes_into from named n join ${aliasesThen(at)} l on l.alias_id = n.id
    )
    select n.id from named n where not exists (select from ${aliasesThen(at)} l where l.alias_id = n.id)
  )`;
}

/**
 * A relation of the aliases that have been merged into an ID, standing and ended ones, with the time of each: `since` is null if
 * it is not known, `until` while the alias stands.
 *
 * @param id SQL for the ID
 */
export function mergedInto(id: string): string {
  // What was merged into an ID, and stands, names today whatever object that ID names today.
  return `(
    select a.alias_id, a.since, null::timestamptz as until from canonical_aliases a
    where a.customer_id = $1 and a.canonical_id = ${objectNow(id)} and ${goesInto} = ${id}
    union all
    select a.alias_id, a.since, a.until from ended_aliases a where a.customer_id = $1 and a.merged_into = ${id}
  )`;
}

/**
 * A relation of the IDs that named an object at a time: its own ID, and the IDs of objects that had been merged into
 * it.
 *
 * @param object SQL for the ID of the object, as it was then
 */
export function namesThen(object: string, at: string): string {
  return `(
    with recursive names (id) as (
      select (${object})::text collate "C"
      union
      select m.alias_id from names n cross join lateral (
        select a.alias_id from ${mergedInto('n.id')} a where ${isAlias(at)} and (a.until is null or a.until > ${at}::timestamptz)
      ) m
    )
    select id from names
  )`;
}

/**
 * The value at a time of a placement column of a record that was deleted by then: the value of its last version or the
 * one that the record got later, under the ID that the object had at the time.
 *
 * @param version alias of the last version that had ended then
 * @param placement one of its columns
 */
export function absentPlacement(version: string, placement: string, at: string): string {
  const given = `(
    select m.canonical_id from absent_moves m
    where m.customer_id = $1 and m.platform = ${version}.platform and m.entity_type = ${version}.entity_type
      and m.platform_id = ${version}.platform_id and m.placement = '${placement}'
      and m.at >= ${version}.until and m.at <= ${at}::timestamptz
    order by m.at desc limit 1)`;
  return objectThen(`coalesce(${given}, ${version}.${placement})`, at);
}
