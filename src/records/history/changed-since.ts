/** Columns whose values a record inherits from another record. */
export interface TakenColumns {
  /**
   * SQL for the canonical ID of the other record, which is of the same platform. The inheriting record has the alias
   * `r`.
   */
  readonly parent: string;
  readonly columns: readonly ['number' | 'currency' | 'project_canonical_id', ...string[]];
}

/** All values that `copyQuery` reads from other records to derive a record's canonical data. */
export const columnsTakenFromParents: readonly TakenColumns[] = [
  { parent: 'r.invoice_canonical_id', columns: ['number', 'currency'] },
  { parent: `case when r.entity_type = 'payment' then r.customer_canonical_id end`, columns: ['currency'] },
  { parent: 'r.contract_canonical_id', columns: ['currency', 'project_canonical_id'] },
  { parent: 'r.project_canonical_id', columns: ['currency'] },
  {
    parent: `(select n.project_canonical_id from platform_records n
      where n.customer_id = $1 and n.canonical_id = r.contract_canonical_id and n.platform = r.platform)`,
    columns: ['currency'],
  },
];

/**
 * SQL condition: the row's canonical object may have changed since the given time. A change may concern its records,
 * the numbers and currencies that these inherit, the currencies of their connections, or the values beside the records.
 * `$1` must be the customer.
 *
 * The condition selects too many objects rather than too few. A changed record counts even if no canonical field shows
 * the change, a changed currency of a connection counts for every object with a record there, and changed terms of the
 * customer count for all its objects.
 *
 * @param alias of the row
 * @param since the parameter that holds the time, such as `$9`
 */
export function changedSince(alias: string, since: string): string {
  const time = `${since}::timestamptz`;
  return `(
    exists (select 1 from changes c where c.customer_id = $1 and c.origin = 'terms' and c.at > ${time})
    or exists (select 1 from record_versions v
      where v.customer_id = $1 and v.canonical_id = ${alias}.canonical_id and v.until > ${time})
    or exists (select 1 from canonical_objects o
      where o.customer_id = $1 and o.id = ${alias}.canonical_id and o.extra_since > ${time})
    or exists (select 1 from platform_records r where r.customer_id = $1 and r.canonical_id = ${alias}.canonical_id
      and (r.since > ${time}
        or exists (select 1 from connection_currencies f
          where f.customer_id = $1 and f.platform = r.platform and f.until > ${time})
        or ${columnsTakenFromParents.map((taken) => takenAnew(taken, time)).join(' or ')}))
  )`;
}

// A parent whose value differs from its value at the time, or that was added or removed since.
function takenAnew({ parent, columns }: TakenColumns, time: string): string {
  const values = (alias: string): string => columns.map((column) => `${alias}.${column}`).join(', ');
  return `(exists (
      select 1 from record_versions v
      left join platform_records p
        on p.customer_id = $1 and p.canonical_id = v.canonical_id and p.platform = v.platform
      where v.customer_id = $1 and v.canonical_id = ${parent} and v.platform = r.platform and v.until > ${time}
        and (p.platform_id is null or (${values('p')}) is distinct from (${values('v')}))
    ) or exists (
      select 1 from platform_records p
      where p.customer_id = $1 and p.canonical_id = ${parent} and p.platform = r.platform and p.since > ${time}
        and not exists (select 1 from record_versions v
          where v.customer_id = $1 and v.canonical_id = p.canonical_id and v.platform = p.platform and v.until > ${time})
    ))`;
}
