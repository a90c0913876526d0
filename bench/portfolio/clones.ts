import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { Database } from '../harness/databases';

/** Columns that name an object or a record, and differ when a customer has a record more than once. */
const names = /^(id|canonical_id|platform_id|native_order|business_key|\w+_canonical_id)$/;

/**
 * Copies everything that a customer has stored to new customers, and several times to itself under other names. Whole
 * rows are copied, whatever columns they have, which is much quicker than connecting.
 */
export async function cloneCustomer(
  database: Database,
  customerId: string,
  { customers, times }: { readonly customers: number; readonly times: number },
): Promise<void> {
  await database.use(async (client) => {
    // Copied rows refer to each other as the originals do.
    await client.query('set session_replication_role = replica');
    for (let clone = 1; clone < times; clone++) {
      for (const table of ['canonical_objects', 'platform_records']) {
        await cloneRows(client, table, customerId, (column) =>
          names.test(column) ? `${column} || '~${clone}'` : column,
        );
      }
    }
    const originals = await client.query('select 1 from canonical_objects where customer_id = $1', [
      customerId,
    ]);
    if (originals.rowCount === 0) throw new Error('The customer has nothing to copy');
    for (let clone = 0; clone < customers; clone++) {
      const id = randomUUID();
      await client.query(`insert into customers (id, name, kind) values ($1, 'Clone', 'standard')`, [id]);
      for (const table of ['connections', 'canonical_objects', 'platform_records']) {
        await cloneRows(
          client,
          table,
          customerId,
          (column) => (column === 'customer_id' ? `'${id}'::uuid` : column),
          table === 'connections'
            ? ''
            : `and ${table === 'canonical_objects' ? 'id' : 'canonical_id'} not like '%~%'`,
        );
      }
    }
    await client.query('vacuum analyze canonical_objects, platform_records');
  });
}

async function cloneRows(
  client: Client,
  table: string,
  customerId: string,
  valueOf: (column: string) => string,
  only = `and ${table === 'canonical_objects' ? 'id' : 'canonical_id'} not like '%~%'`,
): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`,
    [table],
  );
  const columns = rows.map(({ name }) => name);
  await client.query(
    `insert into ${table} (${columns.join(', ')}) select ${columns.map(valueOf).join(', ')} from ${table}
     where customer_id = '${customerId}' ${only}`,
  );
}
