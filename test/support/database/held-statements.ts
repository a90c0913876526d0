import { Client } from 'pg';
import { until } from '../live/live-work';

/** Statements of one customer that wait at a point, so that one kill finds the work of several customers at several points. */
export interface Hold {
  /** Returns when a statement with this part waits here. */
  met(statement?: string): Promise<void>;
  /**
   * Lets the statements of a killed service go on. Returns when the database has ended what it had been asked: the commit
   * may have travelled with the statement.
   */
  letGo(): Promise<void>;
}

/** What can be done with a row. */
type Write = 'insert' | 'update' | 'delete';

const keyOf = (table: string, write: string, customerId: string): string =>
  `hashtextextended(lower(concat_ws(' ', ${table}, ${write}, ${customerId})), 0)`;

/** Makes it possible to hold what is written to tables. It must come before work that is not to wait for it. */
export async function makeHoldable(databaseUrl: string, ...tables: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `create function wait_where_held() returns trigger language plpgsql as $$ begin
         perform pg_advisory_xact_lock_shared(
           ${keyOf('tg_table_name', 'tg_op', 'coalesce(new.customer_id, old.customer_id)')});
         return coalesce(new, old);
       end $$`,
    );
    for (const table of tables) {
      await client.query(
        `create trigger held before insert or update or delete on ${table} for each row execute function wait_where_held()`,
      );
    }
  } finally {
    await client.end();
  }
}

/** Holds what a customer's work writes to a table of {@link makeHoldable}. */
export function holdWrites(
  databaseUrl: string,
  customerId: string,
  table: string,
  write: Write = 'insert',
): Promise<Hold> {
  return hold(databaseUrl, `select pg_advisory_xact_lock(${keyOf('$2::text', '$3::text', '$1::uuid')})`, [
    customerId,
    table,
    write,
  ]);
}

/** Holds what locks the objects of a customer. */
export function holdObjects(databaseUrl: string, customerId: string): Promise<Hold> {
  return hold(databaseUrl, 'select from canonical_objects where customer_id = $1 for update', [customerId]);
}

async function hold(databaseUrl: string, lock: string, parameters: readonly string[]): Promise<Hold> {
  const holder = new Client({ connectionString: databaseUrl });
  const client = new Client({ connectionString: databaseUrl });
  await Promise.all([holder.connect(), client.connect()]);
  await holder.query('begin');
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
  await holder.query(lock, [...parameters]);
  const waiting = (statement?: string) => waitingFor(client, rows[0]?.pid ?? 0, statement);
  return {
    met: (statement) =>
      until(`a statement with “${statement ?? ''}” waits`, async () => (await waiting(statement)).length > 0),
    letGo: async () => {
      const left = await waiting();
      await holder.query('rollback');
      await until('the database has ended the sessions of the killed service', async () => {
        const sessions = await client.query('select from pg_stat_activity where pid = any ($1)', [left]);
        return sessions.rows.length === 0;
      });
      await Promise.all([holder.end(), client.end()]);
    },
  };
}

/** The sessions that wait for a lock of another one, with a statement that has this part. */
async function waitingFor(client: Client, holder: number, statement = ''): Promise<readonly number[]> {
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid)) and position($2 in query) > 0`,
    [holder, statement],
  );
  return rows.map(({ pid }) => pid);
}
