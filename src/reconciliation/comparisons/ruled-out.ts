/**
 * SQL condition: a decision separates a record of one object from a record of another, so the two objects cannot be
 * merged. `$1` is the customer.
 *
 * @param objects SQL of the IDs of both, which are of one type
 * @param entityType SQL of that type
 * @param records the relation of records to examine
 * @param at the parameter that holds a time in the past; unset for decisions in force now
 */
export function ruledOut(
  [one, other]: readonly [one: string, other: string],
  entityType: string,
  records: string,
  at?: string,
): string {
  // A decision names the record of the platform with precedence first, which may belong to either object.
  return `exists (
      select from ${records} mine
      join ${records} theirs on theirs.customer_id = $1 and theirs.canonical_id = ${other}
      join reconciliation_decisions d on d.customer_id = $1 and d.entity_type = ${entityType}
        and d.decision = 'not_same' and ${standing(at)}
        and ((d.platform = mine.platform and d.platform_id = mine.platform_id
              and d.other_platform = theirs.platform and d.other_platform_id = theirs.platform_id)
          or (d.platform = theirs.platform and d.platform_id = theirs.platform_id
              and d.other_platform = mine.platform and d.other_platform_id = mine.platform_id))
      where mine.customer_id = $1 and mine.canonical_id = ${one}
    )`;
}

/**
 * SQL value: the number of decisions that separate an object's records from others. It is an upper limit for the number
 * of excluded objects.
 *
 * @param object SQL of its ID
 * @param entityType SQL of its type
 * @param records the relation of records to examine
 * @param at as for {@link ruledOut}
 */
export function countOfRulings(object: string, entityType: string, records: string, at?: string): string {
  return `(
      select count(*) from ${records} mine
      join reconciliation_decisions d on d.customer_id = $1 and d.entity_type = ${entityType}
        and d.decision = 'not_same' and ${standing(at)}
        and ((d.platform = mine.platform and d.platform_id = mine.platform_id)
          or (d.other_platform = mine.platform and d.other_platform_id = mine.platform_id))
      where mine.customer_id = $1 and mine.canonical_id = ${object}
    )`;
}

function standing(at: string | undefined): string {
  if (at === undefined) return 'd.withdrawn_at is null';
  return `d.decided_at <= ${at}::timestamptz and (d.withdrawn_at is null or d.withdrawn_at > ${at}::timestamptz)`;
}
