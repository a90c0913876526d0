/**
 * SQL that keeps which value a placement of records that are gone gets, before that is carried out. What the same change
 * moves twice is kept as it is in the end.
 *
 * @param placement a column of `deleted_records`, which it names `r`
 * @param moved a relation `moved` with the value that comes as `comes`
 * @param condition which of the records move
 * @param at the parameter that holds the time of the change
 */
export function keepAbsentMoves(placement: string, moved: string, condition: string, at: string): string {
  return `
  insert into absent_moves (customer_id, platform, entity_type, platform_id, placement, at, canonical_id)
  select distinct on (r.platform, r.entity_type, r.platform_id)
    r.customer_id, r.platform, r.entity_type, r.platform_id, '${placement}', ${at}::timestamptz, moved.comes
  from deleted_records r, ${moved} where ${condition}
  on conflict (customer_id, platform, entity_type, platform_id, placement, at)
  do update set canonical_id = excluded.canonical_id`;
}
