/** SQL condition: a record of an alias names a project by a key that no project of its platform has. */
export const namesUnknownProject = (of: string): string =>
  `(${of}.project_canonical_id is null and coalesce(${of}.project_ref like 'key:%', false))`;

/**
 * SQL for the project of a record: the one that it names, or else that of its contract or of its invoice on the same platform.
 * `$1` must be the customer. A record that names a project by an unknown key takes none of them; the caller knows.
 *
 * @param records the relation of records
 * @param of the alias of the record
 */
export const projectIn = (records: string, of: string): string => `coalesce(
    ${of}.project_canonical_id,
    (select p.project_canonical_id from ${records} p
     where p.customer_id = $1 and p.canonical_id = ${of}.contract_canonical_id and p.platform = ${of}.platform),
    (select coalesce(p.project_canonical_id, (
       select c.project_canonical_id from ${records} c
       where c.customer_id = $1 and c.canonical_id = p.contract_canonical_id and c.platform = p.platform))
     from ${records} p
     where p.customer_id = $1 and p.canonical_id = ${of}.invoice_canonical_id and p.platform = ${of}.platform))`;
