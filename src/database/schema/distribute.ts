import type { Pooler } from '../connection/data-source';
import { MIGRATION_LOCK, onDatabase } from './migrate';
import { spreadingOrder, type ReferringTable } from './spreading-order';
import type { Store } from '../transaction/store';

/** The server cannot spread tables; the message is written for the operator. */
export class CannotDistribute extends Error {
  override readonly name = 'CannotDistribute';
}

/**
 * Tables of customers' data that are not spread, because their rows are looked up by a hash before the customer is
 * known.
 */
const KEPT_WHOLE: ReadonlySet<string> = new Set(['api_keys', 'webhook_subscriptions']);

/**
 * Spreads the tables over the servers of a Citus cluster: customers by their ID, and each customer's data together with
 * the customer. Tables that are already spread stay as they are, so an operator can repeat this after a migration that
 * adds a table. All of it is one transaction. The schema must be up to date.
 *
 * @returns the tables that were spread now, in order
 * @throws CannotDistribute if the server has no Citus, or the cluster has no servers
 * @throws DatabaseUnavailable if the database stops responding
 */
export function distribute(databaseUrl: string, pooler: Pooler = 'off'): Promise<readonly string[]> {
  return onDatabase(
    databaseUrl,
    pooler,
    async (store) => {
      await store.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      await refuseWithoutCitus(store);
      // Otherwise tables that refer to one another would be created in parallel, which Citus refuses within one
      // transaction.
      await store.query(`set local citus.multi_shard_modify_mode to 'sequential'`);
      const spread = new Set(await spreadTables(store));
      const tables = ['customers', ...spreadingOrder(await customerTables(store))];
      const missing = tables.filter((table) => !spread.has(table));
      for (const table of missing) await spreadTable(store, table);
      // The rows were copied to the other servers. Their remainders here are invisible, and would violate constraints.
      for (const table of missing) {
        await store.query('select truncate_local_data_after_distributing_table($1)', [table]);
      }
      return missing;
    },
    { deadlines: 'bulk' },
  );
}

async function refuseWithoutCitus(store: Store): Promise<void> {
  const [server] = await store.query<{ available: boolean; created: boolean }>(
    `select exists (select from pg_available_extensions where name = 'citus') as available,
            exists (select from pg_extension where extname = 'citus') as created`,
  );
  if (server?.available !== true) {
    throw new CannotDistribute('This PostgreSQL has no Citus; the tables stay on one server');
  }
  if (!server.created) {
    throw new CannotDistribute(
      'Citus is not set up in this database (create extension citus, citus_add_node); the tables stay on one server',
    );
  }
}

async function spreadTables(store: Store): Promise<readonly string[]> {
  const rows = await store.query<{ name: string }>(
    `select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
      where p.partmethod = 'h' and c.relnamespace = current_schema()::regnamespace`,
  );
  return rows.map(({ name }) => name);
}

/** The tables with a customer in each row, from the catalogue, so that tables without an entity are included. */
async function customerTables(store: Store): Promise<readonly ReferringTable[]> {
  const rows = await store.query<{ name: string; refersTo: string[] }>(
    `select c.relname as name,
            coalesce(json_agg(o.relname) filter (where o.relname is not null), '[]') as "refersTo"
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'customer_id' and not a.attisdropped
       left join pg_constraint f on f.conrelid = c.oid and f.contype = 'f'
       left join pg_class o on o.oid = f.confrelid
      where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
      group by c.relname`,
  );
  return rows.filter(({ name }) => !KEPT_WHOLE.has(name));
}

async function spreadTable(store: Store, table: string): Promise<void> {
  const [column, place] = table === 'customers' ? ['id', 'none'] : ['customer_id', 'customers'];
  await store.query('select create_distributed_table($1, $2, colocate_with => $3)', [table, column, place]);
}
