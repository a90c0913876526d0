import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DemoExpiry } from '../../../src/demo/demo-expiry';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';

const DAY = 86_400_000;

describe('demo sessions', () => {
  let service: RunningApp;
  let database: Client;
  beforeAll(async () => {
    // The service removes none by itself, which would count nowhere here.
    service = await startApp({ demoSessionTtlMs: 0 });
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
  });
  // Each test counts the customers that are left.
  afterEach(() => database.query('delete from customers'));
  afterAll(async () => {
    await database.end();
    await service.close();
  });

  const removeExpired = async (): Promise<number> => {
    let removed = 0;
    for await (const batch of service.app.get(DemoExpiry, { strict: false }).removeOlderThan(7 * DAY))
      removed += batch;
    return removed;
  };
  const age = (customerId: string, days: number) =>
    database.query(`update customers set created_at = now() - $2 * interval '1 day' where id = $1`, [
      customerId,
      days,
    ]);
  const works = async (key: string) => (await api(service.url, key).get('/connections')).status;
  const rows = async (table: string) =>
    Number((await database.query<{ n: string }>(`select count(*) as n from ${table}`)).rows[0]?.n);

  it('are removed with all of their data when they are older than they may get', async () => {
    const [old, young] = [await service.openSession(), await service.openSession()];
    await api(service.url, old.key).post('/connect', { platform: 'platform_a' });
    expect(await rows('platform_records')).toBeGreaterThan(0);
    await age(old.customerId, 7.01);
    await age(young.customerId, 6.99);
    expect(await removeExpired()).toBe(1);
    expect([await works(old.key), await works(young.key)]).toEqual([401, 200]);
    expect([
      await rows('platform_records'),
      await rows('canonical_objects'),
      await rows('connections'),
    ]).toEqual([0, 0, 0]);
    expect(await removeExpired()).toBe(0);
  });

  it('are removed alone: other customers live as long as they like', async () => {
    const { key, customerId } = await service.issueKey('test');
    await age(customerId, 3650);
    expect(await removeExpired()).toBe(0);
    expect(await works(key)).toBe(200);
  });

  it('are removed to the last in batches', async () => {
    const sessions = await Promise.all(Array.from({ length: 53 }, () => service.openSession()));
    for (const { customerId } of sessions) await age(customerId, 8);
    expect(await removeExpired()).toBe(53);
    expect(await rows('customers')).toBe(0);
  });

  it('are removed once by several who do it at the same time', async () => {
    const sessions = await Promise.all(Array.from({ length: 45 }, () => service.openSession()));
    for (const { customerId } of sessions) await age(customerId, 8);
    const removed = await Promise.all([1, 2, 3].map(() => removeExpired()));
    expect(removed.reduce((sum, count) => sum + count)).toBe(45);
    expect(await rows('customers')).toBe(0);
  });

  it('are reported batch by batch, so that the removed ones are known when the next batch fails', async () => {
    const sessions = await Promise.all(Array.from({ length: 30 }, () => service.openSession()));
    for (const { customerId } of sessions) await age(customerId, 8);
    const batches = service.app.get(DemoExpiry, { strict: false }).removeOlderThan(7 * DAY);
    expect(await batches.next()).toEqual({ done: false, value: 20 });
    expect(await rows('customers')).toBe(10);
    await batches.return();
    expect(await rows('customers')).toBe(10);
  });

  it('are left alone while something is being done for them', async () => {
    const { customerId } = await service.openSession();
    await age(customerId, 8);
    await database.query('begin');
    await database.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [
      `customer ${customerId}`,
    ]);
    expect(await removeExpired()).toBe(0);
    await database.query('commit');
    expect(await removeExpired()).toBe(1);
  });
});

describe('the background work', () => {
  it('removes expired sessions by itself, and logs it', async () => {
    const service = await startApp({ demoSessionTtlMs: 1 });
    const { key } = await service.openSession();
    while ((await api(service.url, key).get('/connections')).status !== 401) await sleep(50);
    const logged = () => service.log.filter(({ msg }) => msg === 'Expired demo sessions were removed');
    while (logged().length === 0) await sleep(10);
    expect(logged()).toEqual([expect.objectContaining({ level: 'info', sessions: 1 })]);
    await service.close();
  });

  it('removes nothing when sessions never expire', async () => {
    const service = await startApp({ demoSessionTtlMs: 0 });
    const { key, customerId } = await service.openSession();
    const database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
    await database.query(`update customers set created_at = '2000-01-01' where id = $1`, [customerId]);
    await database.end();
    await sleep(1_500); // Longer than the shortest pause there is.
    expect((await api(service.url, key).get('/connections')).status).toBe(200);
    await service.close();
  });
});
