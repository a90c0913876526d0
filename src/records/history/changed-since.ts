/** Columns that a record takes from another one. */
export interface TakenColumns {
  /** SQL for the canonical ID of the other one, of a record under the alias `r`; it is the record of the same platform. */
  readonly parent: string;
  readonly columns: readonly ['number' | 'currency' | 'project_canonical_id', ...string[]];
}

/** What the canonical data of a record follows from beside the record itself, as `copyQuery` reads it. */
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
 * SQL for the condition that something may have changed since a time in the canonical object of a row, which has its ID: its
 * records, the numbers and currencies that they take from others, the currencies of their connections, values beside the
 * records. `$1` has to be the customer.
 *
 * Some changes count for more than they may be: one of a record that shows in no canonical field, one of the currency of a
 * connection, which counts for each object with a record there, and one of the terms agreed with the customer, which counts
 * for each of its objects.
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

// A parent that gives another value than it gave at the time, that came since, or that went.
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
