/**
 * SQL for the object that an ID names now, which may be an alias.
 *
 * @param id the parameter that holds the ID, such as `$2`
 * @param customer the parameter that holds the customer
 */
export function objectNamedBy(id: string, customer = '$1'): string {
  return `coalesce(
    (select a.canonical_id from canonical_aliases a where a.customer_id = ${customer} and a.alias_id = ${id}), ${id})`;
}
