import { Client } from 'pg';
import { api } from '../app/api';
import { migratedDatabase, type TestDatabase } from '../database/database';
import { portfolioOf, type Portfolio } from '../customers/portfolio';
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
  };
}
