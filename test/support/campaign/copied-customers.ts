import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** A table with rows of customers. */
interface CustomerTable {
  readonly name: string;
  /** The column that names the customer. */
  readonly customer: string;
  readonly columns: readonly string[];
}

/**
 * Copies all that a customer has stored to further customers, whole rows with whatever columns they have, but for its keys. IDs are
 * unique within a customer, so they stay as they are.
 *
 * @returns the IDs of the copies
 */
export async function copyCustomer(
  databaseUrl: string,
  customerId: string,
  copies: number,
): Promise<readonly string[]> {
  const ids = Array.from({ length: copies }, () => randomUUID());
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const { name, customer, columns } of await tablesOfCustomers(client)) {
      const values = columns.map((column) => (column === customer ? 'copy.id' : `t.${column}`));
      await client.query(
        `insert into ${name} (${columns.join(', ')}) select ${values.join(', ')}
         from ${name} t cross join unnest($2::uuid[]) copy (id) where t.${customer} = $1`,
        [customerId, ids],
      );
    }
    // A database whose records came long ago has statistics.
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
  return ids;
}

/** Each table behind those that it refers to. */
async function tablesOfCustomers(client: Client): Promise<readonly CustomerTable[]> {
  const { rows } = await client.query<CustomerTable & { readonly others: readonly string[] }>(
    `select c.oid::regclass::text as name, case c.relname when 'customers' then 'id' else 'customer_id' end as customer,
       array(select quote_ident(a.attname) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0
               and not a.attisdropped and a.attgenerated = '' and a.attidentity = '') as columns,
       array(select f.confrelid::regclass::text from pg_constraint f
             where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as others
     from pg_class c
     where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'api_keys'
       and (c.relname = 'customers' or exists (
         select from pg_attribute a where a.attrelid = c.oid and a.attname = 'customer_id'))`,
  );
  const ordered: CustomerTable[] = [];
  while (ordered.length < rows.length) {
    const isDone = (table: string): boolean => ordered.some(({ name }) => name === table);
    const next = rows.filter(({ name, others }) => !isDone(name) && others.every(isDone));
    if (next.length === 0) throw new Error('Tables refer to each other in a circle');
    ordered.push(...next);
  }
  return ordered;
}
