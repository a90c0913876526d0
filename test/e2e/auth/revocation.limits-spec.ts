import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { MAX_AGE_MS } from '../../../src/auth/callers/caller-cache';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { CustomersService } from '../../../src/auth/customers/customers.service';

// Both paths of a revocation to another instance, timed: the one that is told, and the one that has to grow too old.
describe.each(['off', 'transaction'] as const)('a revocation, with DATABASE_POOLER=%s', (databasePooler) => {
  let here: RunningApp;
  let there: RunningApp;
  beforeAll(async () => {
    here = await startApp();
    there = await startApp({ databaseUrl: here.databaseUrl, databasePooler });
  });
  afterAll(async () => {
    await there.close();
    await here.close();
  });

  it('is known to every instance within a second', async () => {
    const keys = here.app.get(ApiKeysService, { strict: false });
    const { id: customerId } = await here.app.get(CustomersService, { strict: false }).create('Acme');
    const { id, key } = await keys.issue(customerId, 'live');
    const ask = async (service: RunningApp) => {
      const sent = performance.now();
      return { sent, status: (await api(service.url, key).get('/connections')).status };
    };
    expect((await ask(there)).status).toBe(200);
    await keys.revoke(id);
    const revoked = performance.now();
    expect((await ask(here)).status).toBe(401);
    for (;;) {
      const { sent, status } = await ask(there);
      if (status === 401) break;
      // Whatever is sent after the second is refused, however slow the machine is.
      expect(status).toBe(200);
      expect(sent - revoked).toBeLessThan(MAX_AGE_MS);
    }
    for (let more = 0; more < 5; more += 1) expect((await ask(there)).status).toBe(401);
  });
});
