import { setTimeout as sleep } from 'node:timers/promises';
import { api } from '../../support/app/api';
import { startApp, type Caller, type RunningApp } from '../../support/app/app';
import { migratedDatabase, type TestDatabase } from '../../support/database/database';
import { startDatabaseProxy, type DatabaseProxy } from '../../support/database/database-proxy';
import { expectError } from '../../support/app/expectations';

describe('GET /health', () => {
  describe('200', () => {
    let service: RunningApp;
    beforeAll(async () => {
      service = await startApp();
    });
    afterAll(() => service.close());

    it('says that the database answers, without a key', async () => {
      const answer = await api(service.url).get('/health');
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        data: {
          status: 'ok',
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          checks: { database: 'ok' },
        },
      });
    });

    it('does not mind a key that is wrong, or HEAD, and refuses a query', async () => {
      expect((await api(service.url, 'wrong').get('/health')).status).toBe(200);
      expect((await api(service.url).get('/health?a=1&a=2')).status).toBe(400);
      expect((await api(service.url).send('HEAD', '/health')).status).toBe(200);
    });
  });

  describe.each([
    ['stops', (proxy: DatabaseProxy) => proxy.stop()],
    ['freezes', (proxy: DatabaseProxy) => Promise.resolve(proxy.freeze())],
  ])('503, when the database %s', (_what, fail) => {
    let database: TestDatabase;
    let proxy: DatabaseProxy;
    let service: RunningApp;
    let caller: Caller;
    beforeAll(async () => {
      database = await migratedDatabase();
      proxy = await startDatabaseProxy(database.url);
      service = await startApp({ databaseUrl: proxy.url });
      caller = await service.openSession();
      await fail(proxy);
    });
    afterAll(async () => {
      await service.close();
      await proxy.stop();
      await database.drop();
    });

    it('says so within 2 s', async () => {
      const start = performance.now();
      const answer = await api(service.url).get('/health');
      expect(performance.now() - start).toBeLessThan(2000);
      expect(answer.status).toBe(503);
      expect(answer.body).toEqual({
        data: { status: 'degraded', timestamp: expect.any(String), checks: { database: 'fail' } },
      });
      expect(answer.headers.get('API-Version')).toBe('1.0');
    });

    it('lets what needs the database fail with 502 within 5 s, telling nothing', async () => {
      const start = performance.now();
      const answers = await Promise.all([
        api(service.url).post('/demo/session'),
        api(service.url, caller.key).delete('/demo/session'),
      ]);
      expect(performance.now() - start).toBeLessThan(5000);
      for (const answer of answers) {
        expectError(answer, 502, 'EXTERNAL_SERVICE_ERROR', 'The database cannot be reached; try again later');
        expect(answer.headers.get('Retry-After')).toBe('1');
      }
    });

    it('still refuses what needs no database to be refused', async () => {
      expectError(await api(service.url).delete('/demo/session'), 401, 'AUTHENTICATION_ERROR');
      expectError(await api(service.url).get('/nowhere'), 404, 'NOT_FOUND');
    });

    it('recovers by itself', async () => {
      await proxy.restore();
      while ((await api(service.url).get('/health')).status !== 200) await sleep(50);
      expect((await api(service.url, caller.key).delete('/demo/session')).status).toBe(204);
    });
  });
});
