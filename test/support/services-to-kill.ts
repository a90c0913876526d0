import { Client } from 'pg';
import { api } from './api';
import { migratedDatabase, type TestDatabase } from './database';
import { until } from './live-work';
import { portfolioOf, type Portfolio } from './portfolio';
import { startServiceProcess, type ServiceProcess } from './service-process';

type ServiceOptions = NonNullable<Parameters<typeof startServiceProcess>[1]>;

/** Services in their own processes on one database, for tests that kill them. */
export interface ServicesToKill {
  readonly databaseUrl: string;
  /** A connection to the database. */
  readonly client: Client;
  /**
   * Starts a service. Starting a process takes longer than most tests, so a service that a test leaves running is
   * reused by the next test that requests the same options, and all others are stopped.
   *
   * @param databaseUrl the URL by which the service connects to the database, if not directly
   */
  readonly start: (options?: ServiceOptions, databaseUrl?: string) => Promise<ServiceProcess>;
  /** Creates a customer of a service, with connected sandboxes. */
  readonly open: (service: ServiceProcess) => Promise<Portfolio>;
  /**
   * Kills a service while its work waits for a lock of the test, and gives the lock back then. Returns when the database has
   * ended what it had been asked: the commit may have travelled with the statement.
   */
  readonly killWaiting: (service: ServiceProcess, work: () => Promise<unknown>, wait: Wait) => Promise<void>;
}

/** What work waits for, and with what. */
interface Wait {
  /** A statement that takes the lock. */
  readonly lock: string;
  /** A part of the statement that waits for it. */
  readonly statement: string;
}

/** Sets up the services for one test file, or for the tests of one `describe`. */
export function servicesToKill(): ServicesToKill {
  let database: TestDatabase;
  let client: Client;
  const processes: { readonly service: ServiceProcess; readonly asked: string }[] = [];
  const left: (typeof processes)[number][] = [];
  const endLeft = async () => {
    for (const { service } of left.splice(0)) await service.kill();
  };
  beforeAll(async () => {
    database = await migratedDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    const [last, ...others] = processes
      .splice(0)
      .filter(({ service }) => !service.hasEnded)
      .reverse();
    for (const { service } of others) await service.kill();
    if (last !== undefined) left.push(last);
  });
  afterAll(async () => {
    await endLeft();
    await client.end();
    await database.drop();
  });
  return {
    get databaseUrl() {
      return database.url;
    },
    get client() {
      return client;
    },
    start: async (options = {}, databaseUrl = database.url) => {
      const asked = JSON.stringify([databaseUrl, options]);
      if (left[0]?.asked !== asked) await endLeft();
      const service = left.pop()?.service ?? (await startServiceProcess(databaseUrl, options));
      processes.push({ service, asked });
      return service;
    },
    open: async (service) => {
      // These tests do not concern the limit of sessions a minute.
      await client.query('delete from rate_limit_windows');
      const { body } = await api(service.url).post('/demo/session');
      const caller = { key: body.data.api_key, customerId: body.data.customer_id };
      const portfolio = portfolioOf(service.url, caller, client);
      await portfolio.connect('platform_a');
      await portfolio.connect('platform_b');
      return portfolio;
    },
    killWaiting: async (service, work, { lock, statement }) => {
      const holder = new Client({ connectionString: database.url });
      await holder.connect();
      let waiting: readonly number[] = [];
      try {
        await holder.query(`begin; ${lock}`);
        const { rows: own } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
        const done = work();
        await until(`a statement with “${statement}” waits for the lock`, async () => {
          waiting = await waitingFor(client, own[0]?.pid ?? 0, statement);
          return waiting.length > 0;
        });
        await service.kill();
        await done;
      } finally {
        await holder.query('rollback');
        await holder.end();
      }
      await until('the database has ended the sessions of the killed service', async () => {
        const { rows } = await client.query('select from pg_stat_activity where pid = any ($1)', [waiting]);
        return rows.length === 0;
      });
    },
  };
}

/** The sessions that wait for a lock of another one, with a statement that has this part. */
export async function waitingFor(client: Client, holder: number, statement = ''): Promise<readonly number[]> {
  const { rows } = await client.query<{ pid: number }>(
    `select pid from pg_stat_activity where $1 = any (pg_blocking_pids(pid)) and position($2 in query) > 0`,
    [holder, statement],
  );
  return rows.map(({ pid }) => pid);
}
