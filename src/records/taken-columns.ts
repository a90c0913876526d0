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
