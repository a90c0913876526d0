import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningPlatformA } from '@app/simulators';
import { Client } from 'pg';
import { ApiKeysService } from '../../../src/auth/api-keys.service';
import { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import { Secrets } from '../../../src/platforms/credentials/secrets';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { startUnlimited } from '../../support/live/live-platform-a';
import { startServiceProcess } from '../../support/processes/service-process';
import { keysSetting, masterKey } from '../credentials/master-keys';

// A process is started and killed.
jest.setTimeout(120_000);

describe('an instance that is killed while a platform handles a request of a caller', () => {
  let office: RunningApp;
  let database: Client;
  let platform: RunningPlatformA;
  const masterKeyOfAll = masterKey('passthrough');
  beforeAll(async () => {
    office = await startApp({ credentialsKeys: [masterKeyOfAll], syncIntervalMs: 0 });
    database = new Client({ connectionString: office.databaseUrl });
    await database.connect();
    platform = await startUnlimited();
  });
  afterAll(async () => {
    await platform.close();
    await database.end();
    await office.close();
  });

  it('leaves a key under which no instance sends it again', async () => {
    const { customerId } = await office.issueKey('live');
    const { company_id, client_id, client_secret } = platform.credentials;
    const settings = { login_url: platform.loginUrl, api_url: platform.apiUrl, company_id, client_id };
    await office.app
      .get(CredentialsService, { strict: false })
      .set(customerId, 'platform_a', settings, new Secrets({ client_secret }));
    const { key } = await office.app
      .get(ApiKeysService, { strict: false })
      .issue(customerId, 'live', { permissions: ['read', 'passthrough'] });
    const service = await startServiceProcess(office.databaseUrl, {
      main: 'run-live-service.ts',
      env: { CREDENTIALS_KEYS: keysSetting(masterKeyOfAll), SYNC_INTERVAL: '0' },
    });
    const creations = () =>
      platform.control.log.list(/^POST \/rest\/v1\.0\/vendors/).filter(({ handled }) => handled);
    const body = {
      method: 'POST',
      path: '/rest/v1.0/vendors',
      body: { company_id, vendor: { name: 'Made once' } },
    };
    const headers = { 'Idempotency-Key': randomUUID() };
    const send = (url: string) => api(url, key).post('/platforms/platform_a/request', body, headers);

    platform.control.faults.add({
      kind: 'delay',
      ms: 600_000,
      after: true,
      match: { method: 'POST', path: 'vendors' },
    });
    const broken = send(service.url).catch(() => undefined);
    while (creations().length === 0) await sleep(10);
    await service.kill();
    expect(await broken).toBeUndefined();

    // Another instance cannot tell yet that the first one is gone, …
    const meanwhile = await send(office.url);
    expect([meanwhile.status, meanwhile.headers.get('Retry-After')]).toEqual([409, '1']);
    // … nor when the lease is over: the request may take longer than that. …
    await database.query(`update idempotency_keys set lease_until = now() - interval '1 second'`);
    const afterwards = await send(office.url);
    expect([afterwards.status, afterwards.headers.get('Retry-After')]).toEqual([409, '1']);
    // … When no request takes as long, it says what is known.
    await database.query(`update passthrough_requests set sent_at = now() - interval '10 minutes'`);
    for (let repeats = 0; repeats < 3; repeats += 1) {
      const again = await send(office.url);
      expect([again.status, again.body.error.message]).toEqual([
        409,
        expect.stringContaining('its answer was lost') as unknown,
      ]);
    }
    expect(creations()).toHaveLength(1);
    const { body: listed } = await api(office.url, key).get('/platforms/platform_a/requests');
    expect(listed.data).toEqual([expect.objectContaining({ state: 'sent', status: null })]);
  });
});
