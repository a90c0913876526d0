import { api } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';
import { commandsOn, nobody } from './run-command';

describe('connections list', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp();
  });
  afterAll(() => service.close());
  const { cli, json, aCustomer } = commandsOn(() => service.databaseUrl);

  it('shows what a customer has connected', async () => {
    const { key, customerId } = await service.openSession();
    expect((await api(service.url, key).post('/connect', { platform: 'platform_b' })).status).toBe(200);
    const [connected] = (await api(service.url, key).get('/connections')).body.data.connections;
    expect(await json('connections', 'list', '--customer', customerId)).toEqual({
      customer_id: customerId,
      connections: [
        {
          platform: 'platform_b',
          connected_at: connected.connected_at,
          synced_at: expect.stringMatching(/Z$/),
          entities_synced: connected.entities_synced,
          currency: expect.stringMatching(/^[A-Z]{3}$/),
        },
      ],
    });
    const { out } = await cli('connections', 'list', '--customer', customerId);
    expect(out).toMatch(/^platform +connected_at +synced_at +entities_synced +currency\nplatform_b +.*\n$/);
    expect(await json('customers', 'list', '--all')).toEqual({
      customers: [expect.objectContaining({ customer_id: customerId, connections: 1 })],
    });
  });

  it('is empty for a customer without connections', async () => {
    const customer = await aCustomer();
    expect(await json('connections', 'list', '--customer', customer)).toEqual({
      customer_id: customer,
      connections: [],
    });
  });

  it('needs a customer', async () => {
    expect(await cli('connections', 'list', '--customer', nobody)).toEqual({
      code: 1,
      out: '',
      err: `No customer with ID ${nobody}\n`,
    });
    expect((await cli('connections', 'list')).code).toBe(2);
  });
});
