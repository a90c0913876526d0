import { Client } from 'pg';
import { api } from './api';
import { migratedDatabase, type TestDatabase } from './database';
import { portfolioOf, type Portfolio } from './portfolio';
import { startServiceProcess, type ServiceProcess } from './service-process';

type ServiceOptions = NonNullable<Parameters<typeof startServiceProcess>[1]>;

/** Services in processes of their own, on one database, for tests that kill some. */
export interface ServicesToKill {
  readonly databaseUrl: string;
  /** Looks into the database. */
  readonly client: Client;
  /**
   * Starts one, which ends with the test at the latest.
   *
   * @param databaseUrl where the service is to reach the database, if not directly
   */
  readonly start: (options?: ServiceOptions, databaseUrl?: string) => Promise<ServiceProcess>;
  /** A new customer of a service, with sandboxes that were read. */
  readonly open: (service: ServiceProcess) => Promise<Portfolio>;
}

/** Makes them for one file of tests, or for the tests of one `describe`. */
export function servicesToKill(): ServicesToKill {
  let database: TestDatabase;
  let client: Client;
  const processes: ServiceProcess[] = [];
  beforeAll(async () => {
    database = await migratedDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    for (const service of processes.splice(0)) await service.kill();
  });
  afterAll(async () => {
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
      const service = await startServiceProcess(databaseUrl, options);
      processes.push(service);
      return service;
    },
    open: async (service) => {
      // The limit of sessions a minute is not what these tests are about.
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
