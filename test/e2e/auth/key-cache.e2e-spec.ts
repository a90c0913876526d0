import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { CallerCache } from '../../../src/auth/callers/caller-cache';
import { CustomersService } from '../../../src/auth/customers/customers.service';
import { APPLICATION_NAME } from '../../../src/database/connection/data-source';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';

const LISTENS = `${APPLICATION_NAME} key changes`;

async function query<Row>(service: RunningApp, sql: string, parameters: unknown[] = []): Promise<Row[]> {
  return service.app.get(DataSource, { strict: false }).query<Row[]>(sql, parameters);
}

/** Backends of the server that listen for one of the instances on the service's database. */
async function listeners(service: RunningApp): Promise<number[]> {
  const rows = await query<{ pid: number }>(
    service,
    `select pid from pg_stat_activity
     where application_name = $1 and datname = current_database() and query ilike 'listen%' and state = 'idle'`,
    [LISTENS],
  );
  return rows.map(({ pid }) => pid);
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(5);
}

async function anyKey(service: RunningApp): Promise<{ id: string; key: string; customerId: string }> {
  const { id: customerId } = await service.app.get(CustomersService, { strict: false }).create('Acme');
  return {
    ...(await service.app.get(ApiKeysService, { strict: false }).issue(customerId, 'live')),
    customerId,
  };
}

const statusAt = async (service: RunningApp, key: string): Promise<number> =>
  (await api(service.url, key).get('/connections')).status;

describe('a key that an instance has cached', () => {
  let here: RunningApp;
  let there: RunningApp;
  beforeAll(async () => {
    here = await startApp();
    there = await startApp({ databaseUrl: here.databaseUrl });
    await until(async () => (await listeners(here)).length === 2);
  });
  afterAll(async () => {
    await there.close();
    await here.close();
  });

  it('is forgotten when another instance revokes the key', async () => {
    const { id, key, customerId } = await anyKey(here);
    const heard = jest.spyOn(there.app.get(CallerCache, { strict: false }), 'forget');
    expect(await statusAt(there, key)).toBe(200);
    await here.app.get(ApiKeysService, { strict: false }).revoke(id);
    await until(() => heard.mock.calls.some(([customer]) => customer === customerId));
    expect(await statusAt(there, key)).toBe(401);
    expect(await statusAt(here, key)).toBe(401);
  });

  it('is forgotten when another instance replaces the key', async () => {
    const { id, key, customerId } = await anyKey(here);
    const heard = jest.spyOn(there.app.get(CallerCache, { strict: false }), 'forget');
    expect(await statusAt(there, key)).toBe(200);
    const rotated = await here.app.get(ApiKeysService, { strict: false }).rotate(id, 0);
    await until(() => heard.mock.calls.some(([customer]) => customer === customerId));
    expect(await statusAt(there, key)).toBe(401);
    expect(await statusAt(there, rotated.key)).toBe(200);
  });

  it('is forgotten when another instance removes the demo session', async () => {
    const { key, customerId } = await here.openSession();
    const heard = jest.spyOn(there.app.get(CallerCache, { strict: false }), 'forget');
    expect(await statusAt(there, key)).toBe(200);
    expect((await api(here.url, key).delete('/demo/session')).status).toBe(204);
    expect(await statusAt(here, key)).toBe(401);
    await until(() => heard.mock.calls.some(([customer]) => customer === customerId));
    expect(await statusAt(there, key)).toBe(401);
  });

  it('is not looked up again within a second', async () => {
    const { key } = await here.openSession();
    const asked = jest.spyOn(here.app.get(CallerCache, { strict: false }), 'ask');
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: 200 }, () => statusAt(here, key)));
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(asked.mock.calls.length).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - began) / 1_000));
    asked.mockRestore();
  });

  it('ends with the key, by the clock of the database', async () => {
    const { id, key } = await anyKey(here);
    await query(
      here,
      `update api_keys set expires_at = clock_timestamp() + interval '300 ms' where id = $1`,
      [id],
    );
    const hasEnded = async () => {
      const [row] = await query<{ ended: boolean }>(
        here,
        'select expires_at <= clock_timestamp() as ended from api_keys where id = $1',
        [id],
      );
      return row?.ended === true;
    };
    // Each answer makes the instance remember the key anew, for the rest of its life.
    while (!(await hasEnded())) await statusAt(here, key);
    expect(await statusAt(here, key)).toBe(401);
  });

  it('survives the loss of the connection that listens for changes; the instance stays ready and listens again', async () => {
    const [first] = await listeners(here);
    await query(here, 'select pg_terminate_backend($1)', [first]);
    await until(() => [...here.log, ...there.log].some(({ msg }) => String(msg).includes('within a second')));
    for (const service of [here, there]) {
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
      expect((await api(service.url).get('/connections')).status).toBe(401);
    }
    await until(async () => {
      const now = await listeners(here);
      return now.length === 2 && !now.includes(first ?? 0);
    });
    await until(() => [...here.log, ...there.log].some(({ msg }) => String(msg).includes('at once again')));
  });

  it('is none of an instance behind a pooler, which does not listen for removed keys, still refuses a removed key at once, and leaves no connection open', async () => {
    const pooled = await startApp({ databaseUrl: here.databaseUrl, databasePooler: 'transaction' });
    const another = await startApp({ databaseUrl: here.databaseUrl });
    await until(async () => (await listeners(here)).length === 3);
    const { key } = await pooled.openSession();
    expect(await statusAt(pooled, key)).toBe(200);
    expect((await api(pooled.url, key).delete('/demo/session')).status).toBe(204);
    expect(await statusAt(pooled, key)).toBe(401);
    await pooled.close();
    await another.close();
    await until(async () => (await listeners(here)).length === 2);
  });
});
