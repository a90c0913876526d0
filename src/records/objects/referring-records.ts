/** Types whose records refer to a project, a contract or an invoice. Each type refers only to types before it. */
export const referringTypes = ['contract', 'invoice', 'payment'] as const;

/**
 * SQL for the records that refer to a project, a contract or an invoice, found by indexes: a relation of `canonical_id` and
 * `entity_type`. `$1` must be the customer.
 *
 * @param parents a relation with the same columns: the objects that the records refer to
 * @param types the types of the records
 * @param limit SQL that limits the rows of each parent and the rows in total; empty for all rows
 */
export function referringTo(
  parents: string,
  types: readonly (typeof referringTypes)[number][],
  limit: string,
): string {
  const named = `(${types.map((type) => `'${type}'`).join(', ')})`;
  const refer = (column: string, to: string, among: string): string => `
    (select r.canonical_id, r.entity_type from platform_records r
      where r.customer_id = $1 and r.${column}_canonical_id = parent.canonical_id and ${among} and parent.entity_type = '${to}'
      ${limit})`;
  const isNamed = `r.entity_type in ${named}`;
  const references = [
    refer('project', 'project', isNamed),
    refer('contract', 'contract', isNamed),
    ...(types.includes('payment') ? [refer('invoice', 'invoice', `r.entity_type = 'payment'`)] : []),
  ];
  return `
    select n.canonical_id, n.entity_type
    from ${parents} parent cross join lateral (${references.join(' union all ')}) n ${limit}`;
}
