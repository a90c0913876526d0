import { Client } from 'pg';
import { createServer, type Server } from 'node:net';
import { createLogger } from '../../../src/runtime/logging/logger';
import { livePlatforms } from '../../../src/platforms/live-platforms';
import { Metrics } from '../../../src/runtime/metrics/metrics';
import { serveMetrics, type MetricsServer } from '../../../src/runtime/metrics/metrics-server';
import { ownMetrics } from '../../deploy/known-metrics';
import { api } from '../../support/app/api';
import { endBackgroundTasks } from '../../support/app/background-tasks';
import { startApp, type RunningApp } from '../../support/app/app';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { startDatabaseProxy, type DatabaseProxy } from '../../support/database/database-proxy';

const quiet = createLogger('silent');
const here = { host: '127.0.0.1' };

describe('/metrics', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let service: RunningApp;
  let server: MetricsServer;
  let url: string;
  beforeAll(async () => {
    database = await migratedDatabase();
    proxy = await startDatabaseProxy(database.url);
    service = await startApp({ databaseUrl: proxy.url });
    server = await serveMetrics(service.app.get(Metrics, { strict: false }), here, 0, quiet);
    url = `http://127.0.0.1:${server.address?.port}/metrics`;
  });
  afterAll(async () => {
    await server.close();
    await service.close();
    await proxy.stop();
    await database.drop();
  });

  /** The samples of a metric: labels, in order, and value. */
  async function samples(name: string): Promise<Record<string, number>> {
    const text = await (await fetch(url)).text();
    const lines = text
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    return Object.fromEntries(
      lines.map((line) => {
        const [labels, value] = line.slice(name.length).split(/ (?=\S+$)/);
        return [labels ?? '', Number(value)];
      }),
    );
  }

  /**
   * By how much a metric's samples grow while something is done, and until they have grown by `total` in all: a request is
   * counted just after its answer came, everything else before.
   */
  async function growth(
    name: string,
    work: () => Promise<unknown>,
    total = 0,
  ): Promise<Record<string, number>> {
    const before = await samples(name);
    await work();
    for (;;) {
      const grown = Object.entries(await samples(name))
        .map(([labels, value]) => [labels, value - (before[labels] ?? 0)] as const)
        .filter(([, value]) => value !== 0);
      if (grown.reduce((sum, [, value]) => sum + value, 0) >= total) return Object.fromEntries(grown);
    }
  }

  it('is text that Prometheus reads', async () => {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    for (const line of text.split('\n').filter((one) => one !== '')) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{.*\})? \S+)$/);
    }
  });

  it('has the documented metrics and those of the process, and no others', async () => {
    const names = [...(await (await fetch(url)).text()).matchAll(/^# HELP (\w+) /gm)].map(([, name]) => name);
    const own = names.filter((name) => !/^(?:process|nodejs)_/.test(name ?? ''));
    expect(own.sort()).toEqual([...ownMetrics()].sort());
  });

  it('is the only thing on its port, and is not on that of the API', async () => {
    expect((await fetch(new URL('/api/v1/health', url))).status).toBe(404);
    expect((await fetch(url, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
  });

  it('counts requests by the route’s pattern and status, whatever a client makes up', async () => {
    const ask = async () => {
      await api(service.url).get('/health');
      await api(service.url).get('/connections');
      await fetch(`${service.url}/made/up/${Math.random()}`);
      const headers = { 'Content-Type': 'application/json' };
      await fetch(`${service.url}/api/v1/health`, { method: 'PROPFIND', headers });
    };
    const asked = {
      '{method="GET",route="/api/v1/health",status="200"}': 1,
      '{method="GET",route="/api/v1/connections",status="401"}': 1,
      '{method="GET",route="none",status="404"}': 1,
      '{method="other",route="none",status="404"}': 1,
    };
    expect(await growth('http_requests_total', ask, 4)).toEqual(asked);
    expect(await growth('http_request_duration_seconds_count', ask, 4)).toEqual(asked);
  });

  it('counts connects, what they brought, and what became of changes', async () => {
    const { key } = await service.openSession();
    const client = api(service.url, key);
    const connect = (platform: string) => () => client.post('/connect', { platform });
    expect(await growth('translation_connects_total', connect('platform_a'))).toEqual({
      '{platform="platform_a",outcome="connected"}': 1,
    });
    const brought = await growth('translation_entities_total', connect('platform_b'));
    const records = (await client.get('/objects?platform=platform_b&entity_type=payment')).body.data;
    const linked = records.filter((record: { mappings: unknown[] }) => record.mappings.length === 2);
    expect(linked.length).toBeGreaterThan(0);
    expect(brought).toMatchObject({
      '{platform="platform_b",entity_type="payment",result="new"}': records.length,
      '{platform="platform_b",entity_type="payment",result="linked"}': linked.length,
    });
    // A sandbox rules over its records: connecting again brings nothing.
    expect(await growth('translation_entities_total', connect('platform_b'))).toEqual({});

    const change = (data: object) => () =>
      client.post('/propagate', {
        format: 'canonical',
        canonical_id: linked[0].canonical_id,
        entity_type: 'payment',
        data,
      });
    expect(await growth('translation_propagations_total', change({ notes: 'Seen' }))).toEqual({
      '{platform="platform_a",entity_type="payment",outcome="applied"}': 1,
      '{platform="platform_b",entity_type="payment",outcome="applied"}': 1,
    });
    expect(await growth('translation_propagations_total', change({ nonsense: 1 }))).toEqual({
      '{platform="none",entity_type="payment",outcome="failed"}': 1,
    });
    // Nothing would have changed.
    const tried = { format: 'canonical', canonical_id: linked[0].canonical_id, entity_type: 'payment' };
    const trial = (data: object) => () => client.post('/propagate', { ...tried, data, dry_run: true });
    expect(await growth('translation_propagations_total', trial({ nonsense: 1 }))).toEqual({});
    expect(await growth('translation_propagations_total', trial({ notes: 'Tried' }))).toEqual({});
  });

  // The growth of a counter whose first sample is 1 already is 0 for Prometheus, and its alert would miss it.
  it('shows readings of live platforms that alerts ask for as 0 before there was one', async () => {
    const platforms = Object.keys(livePlatforms);
    expect(await samples('translation_sync_deletions_held_total')).toEqual(
      Object.fromEntries(platforms.map((platform) => [`{platform="${platform}"}`, 0])),
    );
    const outcomes = ['complete', 'incomplete', 'failed'];
    expect(await samples('translation_sync_runs_total')).toMatchObject(
      Object.fromEntries(
        platforms.flatMap((platform) =>
          outcomes.map((outcome) => [`{platform="${platform}",mode="live",outcome="${outcome}"}`, 0]),
        ),
      ),
    );
  });

  it('shows what waits in the outbox, and how old the oldest is', async () => {
    const none = '{state="waiting"} 0,{state="sending"} 0,{state="uncertain"} 0,{state="held"} 0';
    const counted = async () =>
      Object.entries(await samples('translation_outbox_commands'))
        .map(([labels, count]) => `${labels} ${count}`)
        .join();
    expect(await counted()).toBe(none);
    expect(await samples('translation_outbox_oldest_seconds')).toEqual({ '': 0 });
    const { customerId } = await service.openSession();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const insert = `insert into outbox_commands (customer_id, id, propagation_id, position, platform, entity_type,
      canonical_id, status, changes, referred, predicted, recording, not_before, created_at, decided_at)
      select $1, gen_random_uuid(), gen_random_uuid(), 0, 'platform_b', 'payment', 'pay_' || n, status, '[]', '{}', '{}', '{}',
        now() + interval '1 day', now() - n * interval '1 minute', case when status in ('held', 'applied') then now() end
      from (values (5, 'waiting'), (3, 'uncertain'), (900, 'held'), (900, 'applied')) t (n, status)`;
    await client.query(insert, [customerId]);
    expect(await counted()).toBe(
      '{state="waiting"} 1,{state="sending"} 0,{state="uncertain"} 1,{state="held"} 1',
    );
    const [age] = Object.values(await samples('translation_outbox_oldest_seconds'));
    expect(age).toBeGreaterThanOrEqual(300);
    expect(age).toBeLessThan(900);
    await client.query('delete from outbox_commands where customer_id = $1', [customerId]);
    await client.end();
    expect(await counted()).toBe(none);
  });

  it('names no customer and no key', async () => {
    const { key, customerId } = await service.openSession();
    await api(service.url, key).get('/connections');
    const text = await (await fetch(url)).text();
    expect(text).not.toContain(customerId);
    expect(text).not.toContain('sk_');
  });

  it('shows the pool, the event loop and the process', async () => {
    await endBackgroundTasks(service.app);
    // Metrics that ask the database have a connection while they are read, and so has the outbox at times.
    let pool = await samples('translation_database_connections');
    while (pool['{state="in_use"}'] !== 0) pool = await samples('translation_database_connections');
    expect(pool['{state="idle"}']).toBeGreaterThan(0);
    expect(await samples('translation_database_waiting')).toEqual({ '': 0 });
    expect(Object.values(await samples('nodejs_eventloop_lag_seconds'))).toHaveLength(1);
    expect(Object.values(await samples('process_resident_memory_bytes'))[0]).toBeGreaterThan(1e6);
  });

  it('says whether the database is up, and answers while it is not', async () => {
    expect(await samples('translation_database_up')).toEqual({ '': 1 });
    await proxy.stop();
    expect(await samples('translation_database_up')).toEqual({ '': 0 });
    await proxy.restore();
    expect(await samples('translation_database_up')).toEqual({ '': 1 });
  });

  it('answers while the database is frozen, to many at once', async () => {
    proxy.freeze();
    const answers = await Promise.all(Array.from({ length: 10 }, () => samples('translation_database_up')));
    expect(answers).toEqual(answers.map(() => ({ '': 0 })));
    await proxy.restore();
    while ((await samples('translation_database_up'))[''] !== 1);
  });

  it('is done without, with a line in the log, when its port is taken', async () => {
    const taken: Server = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(line) });
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const without = await serveMetrics(new Metrics(), here, port, logger);
    expect(without.address).toBeUndefined();
    expect(lines.join('')).toMatch(/Metrics are not served.*METRICS_PORT/);
    await without.close();
    await new Promise((resolve) => taken.close(resolve));
  });
});
