/**
 * SQL for the object that an ID names now, which may be an alias. `$1` has to be the customer.
 *
 * @param id the parameter that holds the ID, such as `$2`
 */
export function objectNamedBy(id: string): string {
  return `coalesce(
    (select a.canonical_id from canonical_aliases a where a.customer_id = $1 and a.alias_id = ${id}), ${id})`;
}
