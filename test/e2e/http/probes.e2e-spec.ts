import { setTimeout as sleep } from 'node:timers/promises';
import { ReadinessService } from '../../../src/health/readiness.service';
import { startApp, type RunningApp } from '../../support/app/app';
import { createDatabase, migratedDatabase } from '../../support/database/database';
import { startDatabaseProxy } from '../../support/database/database-proxy';
import { migrate } from '../../../src/database/schema/migrate';

/** What a probe is answered. */
async function probe(service: RunningApp, path: '/livez' | '/readyz') {
  const response = await fetch(`${service.url}${path}`);
  return { status: response.status, body: await response.json(), headers: response.headers };
}

const ready = { status: 'ready', checks: { database: 'ok', migrations: 'ok', running: 'ok' } };

describe('/livez and /readyz', () => {
  describe('of a healthy service', () => {
    let service: RunningApp;
    beforeAll(async () => {
      service = await startApp({ logLevel: 'debug' });
    });
    afterAll(() => service.close());

    it('answer 200 without a key, outside of the API', async () => {
      expect(await probe(service, '/livez')).toMatchObject({ status: 200, body: { status: 'alive' } });
      expect(await probe(service, '/readyz')).toMatchObject({ status: 200, body: ready });
      expect((await fetch(`${service.url}/api/v1/livez`)).status).toBe(404);
    });

    it('carry the headers of every answer', async () => {
      const { headers } = await probe(service, '/readyz');
      expect(headers.get('X-Request-ID')).toMatch(/^req_/);
      expect(headers.get('Cache-Control')).toBe('no-store');
    });

    it('leave a line in the log for debugging only', async () => {
      await probe(service, '/livez');
      const lines = () => service.log.filter(({ msg, route }) => msg === 'request' && route === '/livez');
      while (lines().length === 0) await sleep(5);
      expect(lines().map(({ level }) => level)).toEqual(lines().map(() => 'debug'));
    });
  });

  it('take no more requests from the moment the service stops, though it lives', async () => {
    const service = await startApp();
    service.app.get(ReadinessService, { strict: false }).stop();
    expect(await probe(service, '/readyz')).toMatchObject({
      status: 503,
      body: { status: 'not_ready', checks: { database: 'ok', migrations: 'ok', running: 'fail' } },
    });
    expect((await probe(service, '/livez')).status).toBe(200);
    expect((await fetch(`${service.url}/api/v1/health`)).status).toBe(200);
    await service.close();
  });

  it('distinguish an unreachable database from a dead process', async () => {
    const database = await migratedDatabase();
    const proxy = await startDatabaseProxy(database.url);
    const service = await startApp({ databaseUrl: proxy.url });
    expect((await probe(service, '/readyz')).status).toBe(200);
    await proxy.stop();
    expect(await probe(service, '/readyz')).toMatchObject({
      status: 503,
      body: { status: 'not_ready', checks: { database: 'fail' } },
    });
    expect((await probe(service, '/livez')).status).toBe(200);
    await proxy.restore();
    expect(await probe(service, '/readyz')).toMatchObject({ status: 200, body: ready });
    await service.close();
    await proxy.stop();
    await database.drop();
  });

  it('answer while the database is frozen', async () => {
    const database = await migratedDatabase();
    const proxy = await startDatabaseProxy(database.url);
    const service = await startApp({ databaseUrl: proxy.url });
    proxy.freeze();
    const [live, ready] = await Promise.all([probe(service, '/livez'), probe(service, '/readyz')]);
    expect(live.status).toBe(200);
    expect(ready).toMatchObject({ status: 503, body: { checks: { database: 'fail', running: 'ok' } } });
    await proxy.restore();
    await service.close();
    await proxy.stop();
    await database.drop();
  });

  it('are not ready before the schema is there, and are as soon as it is', async () => {
    const database = await createDatabase();
    const service = await startApp({ databaseUrl: database.url });
    expect(await probe(service, '/readyz')).toMatchObject({
      status: 503,
      body: { status: 'not_ready', checks: { database: 'ok', migrations: 'fail', running: 'ok' } },
    });
    await probe(service, '/readyz');
    expect(service.log.filter(({ msg }) => msg === 'The state of the schema cannot be read')).toEqual([
      expect.objectContaining({ level: 'warn', err: expect.objectContaining({ code: '42P01' }) }),
    ]);
    await migrate(database.url);
    expect(await probe(service, '/readyz')).toMatchObject({ status: 200, body: ready });
    await service.close();
    await database.drop();
  });
});
