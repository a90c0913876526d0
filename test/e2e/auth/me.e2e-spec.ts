import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { commandsOn } from '../cli/run-command';

describe('GET /me', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp({ bodyLimitBytes: 5_000, historyTtlMs: 0, storageQuotaBytes: 0 });
  });
  afterAll(() => service.close());
  const { json, aCustomer } = commandsOn(() => service.databaseUrl);

  it('shows the customer, the permissions of the key, and the limits and terms in force', async () => {
    const customer = await aCustomer();
    const { api_key: key } = await json(
      ...['keys', 'issue', '--customer', customer, '--mode', 'live'],
      ...['--permissions', 'write,read', '--label', 'The ledger'],
    );
    const client = api(service.url, key);
    await client.post('/connect', { platform: 'platform_b' });
    await json('rates', 'set', '--customer', customer, '--from', 'EUR', '--to', 'USD', '--rate', '1.08');
    expect((await client.get('/me')).body).toEqual({
      data: {
        customer: { id: customer, name: expect.any(String), time_zone: 'UTC' },
        key: { label: 'The ledger', mode: 'live', permissions: ['read', 'write'] },
        currencies: ['EUR', 'QAR', 'USD'],
        platforms: { platform_b: { mode: 'sandbox', status: 'active' } },
        limits: {
          body_bytes: 5_000,
          page_size: { usual: 100, most: 500 },
          storage_quota_bytes: null,
          history_seconds: null,
          idempotency_key_seconds: 86_400,
          idempotency_keys: 200_000,
          connect_wait_seconds: 25,
          propagate_wait_seconds: 10,
          demo_session_seconds: null,
        },
      },
    });
  });

  it('needs no permission, and tells demo customers of their limits', async () => {
    const none = await service.issueKey('test', []);
    const answer = await api(service.url, none.key).get('/me');
    expect(answer.body.data).toMatchObject({
      customer: { id: none.customerId },
      key: { label: null, mode: 'test', permissions: [] },
      currencies: [],
      platforms: {},
    });
    const session = await service.openSession();
    const demo = await api(service.url, session.key).get('/me');
    expect(demo.body.data).toMatchObject({
      customer: { id: session.customerId, name: 'Demo session' },
      key: { mode: 'demo', permissions: ['read', 'write', 'decide', 'administer'] },
      limits: { storage_quota_bytes: 256 * 1024 ** 2, demo_session_seconds: 7 * 86_400 },
    });
  });

  it('needs a key', async () => {
    expectError(await api(service.url).get('/me'), 401, 'AUTHENTICATION_ERROR');
  });
});
