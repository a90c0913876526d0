// Events are delivered to 10,000 webhook endpoints, of which half are dead in five ways: the living get each once.
import { setTimeout as sleep } from 'node:timers/promises';
import { UnitOfWork } from '../../src/database/transaction/unit-of-work';
import { noteEventsAt } from '../../src/records/events/events.repository';
import { MOST_AT_ONCE } from '../../src/webhook-endpoints/delivery/endpoint-connection';
import { MOST_ENDPOINTS } from '../../src/webhook-endpoints/webhook-endpoints.repository';
import { WebhookEndpointsService } from '../../src/webhook-endpoints/webhook-endpoints.service';
import { databaseTime } from '../../src/database/transaction/database-time';
import { startApp, type RunningApp } from '../support/app/app';
import { campaign } from '../support/campaign/campaign';
import { endBackgroundTasks } from '../support/app/background-tasks';
import { migratedDatabase, type TestDatabase } from '../support/database/database';
import { deadKinds, startManyReceivers, type ManyReceivers } from '../support/http/many-receivers';
import { startServiceProcess, type ServiceProcess } from '../support/processes/service-process';
import { StoredRecords } from '../support/database/stored-records';
import { keysSetting, masterKey } from '../e2e/credentials/master-keys';

/** The number of customers. Each has as many endpoints as permitted, and every second endpoint is dead. */
const CUSTOMERS = 500;
/** Events per second, each of another customer. */
const RATE = 2;
/** Maximum number of batches in progress on an instance: with a slot, and waiting for slow receivers without one. */
const MOST_BATCHES = 64 + 32 + 2 * 128;

const master = masterKey('hooks');
const env = {
  CREDENTIALS_KEYS: keysSetting(master),
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  METRICS_PORT: '0',
};

campaign('many-endpoints', (figures) => {
  let database: TestDatabase;
  let stored: StoredRecords;
  /** An instance that creates customers, endpoints and events, and delivers nothing. */
  let maker: RunningApp;
  let receivers: ManyReceivers;
  let service: ServiceProcess;
  const customers: string[] = [];
  beforeAll(async () => {
    database = await migratedDatabase();
    stored = await StoredRecords.open(database.url);
    receivers = await startManyReceivers();
    maker = await startApp({
      databaseUrl: database.url,
      credentialsKeys: [master],
      webhookAllowedNetworks: ['127.0.0.0/8'],
    });
    await endBackgroundTasks(maker.app);
    const endpoints = maker.app.get(WebhookEndpointsService, { strict: false });
    for (let customer = 0; customer < CUSTOMERS; customer += 1) {
      const { customerId } = await maker.issueKey('live');
      customers.push(customerId);
      for (let number = 0; number < MOST_ENDPOINTS; number += 1) {
        const kind = number % 2 === 0 ? 'living' : deadKinds[((number - 1) / 2) % deadKinds.length];
        const url = receivers.urlOf(kind ?? 'living', `/${customer}/${number}`);
        await endpoints.create({ id: customerId, kind: 'standard' }, { url, enabled: kind === 'living' });
      }
    }
    await stored.query('analyze');
    service = await startServiceProcess(database.url, { env, logLevel: 'info' });
  });
  afterAll(async () => {
    await service.kill();
    await receivers.close();
    await maker.close();
    await stored.close();
    await database.drop();
  });

  const happens = (customerId: string): Promise<void> =>
    maker.app.get(UnitOfWork, { strict: false }).runFor(customerId, async (tx) => {
      const data = { decision: 'link', reason: 'One order, entered twice', decided_by: 'Mariam' };
      noteEventsAt(tx, await databaseTime(tx.store), [{ type: 'decision.made', data }]);
    });

  figures.part('deliver to the living as if the dead were not there', async () => {
    const alone = await measured('none dead');
    await stored.query(`update webhook_endpoints set enabled = true, starts_at = now() where not enabled`);
    const first = await measured('half dead, not known to be');
    await measured('half dead, and known to be');
    const last = await measured('half dead, and known to be');
    for (const { missing, twice, redirected } of [alone, first, last])
      expect([missing, twice, redirected]).toEqual([0, 0, 0]);
    for (const { sockets, connections } of [first, last]) {
      expect(sockets).toBeLessThanOrEqual(MOST_BATCHES * MOST_AT_ONCE);
      expect(connections).toBeLessThanOrEqual(alone.connections + 2);
    }
    // The limit is generous, because other programs may use this machine; the figures above are more precise.
    expect(last.half).toBeLessThan(5_000);
  });

  /** Creates events of one customer after the other, and waits until the working endpoints have received them. */
  async function measured(name: string) {
    const seen = receivers.arrivals.length;
    const before = await counts();
    await lag();
    let [most, connections, made] = [0, 0, 0];
    const begun = Date.now();
    // Events are created in four parts, which share the time.
    for (; made < figures.minutes * 15 * RATE; made += 1) {
      await sleep(Math.max(0, begun + (made * 1_000) / RATE - Date.now()));
      await happens(customers[(made * 7) % CUSTOMERS] ?? '');
      most = Math.max(most, receivers.connections);
      if (made % RATE === 0) connections = Math.max(connections, await openConnections());
    }
    const expected = made * (MOST_ENDPOINTS / 2);
    const arrived = () => receivers.arrivals.slice(seen);
    for (let patience = 600; arrived().length < expected && patience > 0; patience -= 1) await sleep(500);
    const took = Date.now() - begun;
    const after = await counts();
    const delays = arrived()
      .map(({ delay }) => delay)
      .sort((one, other) => one - other);
    const at = (share: number) => delays[Math.floor((delays.length - 1) * share)] ?? Infinity;
    const ids = new Set(arrived().map(({ path, id }) => `${path} ${id}`));
    const result = {
      half: at(0.5),
      missing: expected - ids.size,
      twice: delays.length - ids.size,
      redirected: arrived().filter(({ path }) => path === '/redirected').length,
      sockets: most,
      connections,
    };
    const said = [
      `${name}: ${expected} deliveries to the living, half within ${at(0.5)} ms`,
      `99 % within ${at(0.99)} ms, all within ${at(1)} ms`,
      `${((after.commits - before.commits) / (took / 1_000)).toFixed(0)} transactions a second`,
      `${(after.attempts - before.attempts).toFixed(0)} attempts at all endpoints`,
      `event loop at most ${((await lag()) * 1_000).toFixed(0)} ms late for 99 %`,
      `${most} connections to receivers and ${connections} to the database`,
    ];
    process.stdout.write(`${said.join('; ')}\n`);
    figures.count('deliveries', delays.length);
    return result;
  }

  async function counts(): Promise<{ readonly commits: number; readonly attempts: number }> {
    const [row] = await stored.query<{ commits: number; attempts: number }>(
      `select (select xact_commit::float8 from pg_stat_database where datname = current_database()) as commits,
         (select sum(attempts)::float8 from webhook_endpoints) as attempts`,
    );
    return row ?? { commits: NaN, attempts: NaN };
  }

  async function openConnections(): Promise<number> {
    const [row] = await stored.query<{ count: number }>(
      'select count(*)::int as count from pg_stat_activity where datname = current_database()',
    );
    return row?.count ?? NaN;
  }

  /** The lateness of the service's event loop since the last call, in seconds: the 99th percentile. */
  async function lag(): Promise<number> {
    const found = () => service.output.find((line) => line.includes('Metrics are served'));
    while (found() === undefined) await sleep(50);
    const { url } = JSON.parse(found() ?? '') as { url: string }; // As the service logs it.
    const text = await (await fetch(url)).text();
    return Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1]);
  }
});
