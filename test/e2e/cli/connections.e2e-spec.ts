import { realTime } from '../../../src/platforms/live/time';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { keysSetting, masterKey } from '../credentials/master-keys';
import { keptCommandsOn, nobody } from './run-command';

describe('connections list', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp();
  });
  const { cli, json, piped, aCustomer } = keptCommandsOn(() => service.databaseUrl, {
    CREDENTIALS_KEYS: keysSetting(masterKey('first')),
  });
  afterAll(() => service.close());

  it('shows what a customer has connected', async () => {
    const { key, customerId } = await service.openSession();
    expect((await api(service.url, key).post('/connect', { platform: 'platform_b' })).status).toBe(200);
    const [connected] = (await api(service.url, key).get('/connections')).body.data.connections;
    expect(await json('connections', 'list', '--customer', customerId)).toEqual({
      customer_id: customerId,
      connections: [
        {
          platform: 'platform_b',
          ...connected,
          currency: expect.stringMatching(/^[A-Z]{3}$/),
        },
      ],
      storage: expect.objectContaining({ quota_bytes: 256 * 1024 ** 2 }),
    });
    expect(connected).toMatchObject({ mode: 'sandbox', status: 'active', last_error: null });
    const { out } = await cli('connections', 'list', '--customer', customerId);
    expect(out).toMatch(
      /^platform +mode +status +connected_at +last_synced_at +entities_synced +currency +last_error\nplatform_b +sandbox +active +\S+Z +\S+Z +36 +[A-Z]{3} +-\n$/,
    );
    const { customers } = await json('customers', 'list', '--all');
    expect(customers).toContainEqual(expect.objectContaining({ customer_id: customerId, connections: 1 }));
  });

  it('shows a live connection from its first run on, and why it fails', async () => {
    // Nobody answers there: the attempts follow one another without pauses.
    jest.spyOn(realTime, 'random').mockReturnValue(0);
    const customer = await aCustomer();
    const of = ['--customer', customer, '--platform', 'platform_a'];
    const nowhere = { login_url: 'http://127.0.0.1:1', api_url: 'http://127.0.0.1:1', company_id: 1 };
    await piped(
      JSON.stringify({ ...nowhere, client_id: 'c', client_secret: 's' }),
      'connections',
      'set',
      ...of,
    );
    expect((await cli('connections', 'sync', ...of)).code).toBe(1);
    expect((await json('connections', 'list', '--customer', customer)).connections).toEqual([
      expect.objectContaining({
        platform: 'platform_a',
        mode: 'live',
        status: 'failing',
        last_synced_at: null,
        currency: null,
        last_error: { type: 'EXTERNAL_SERVICE_ERROR', message: expect.stringContaining('platform_a') },
      }),
    ]);
    expect((await cli('connections', 'list', '--customer', customer)).out).toMatch(
      /\nplatform_a +live +failing +\S+Z +- +0 +- +platform_a \S.*\n$/,
    );
  });

  it('is empty for a customer without connections', async () => {
    const customer = await aCustomer();
    expect(await json('connections', 'list', '--customer', customer)).toEqual({
      customer_id: customer,
      connections: [],
      storage: {
        history_bytes: null,
        kept_answers_bytes: null,
        quota_bytes: 20 * 1024 ** 3,
        counted_at: null,
      },
    });
  });

  it('needs a customer', async () => {
    expect(await cli('connections', 'list', '--customer', nobody)).toEqual({
      code: 1,
      out: '',
      err: `No customer with ID ${nobody}\n`,
    });
    expect((await cli('connections', 'list', '--customer', 'Acme')).code).toBe(2);
  });
});

describe('connections sync', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp();
  });
  const { cli, json, aCustomer } = keptCommandsOn(() => service.databaseUrl);
  afterAll(() => service.close());

  it('reads a platform and waits for the end', async () => {
    const customer = await aCustomer();
    const of = ['--customer', customer, '--platform', 'platform_b'];
    expect(await json('connections', 'sync', ...of)).toEqual({
      platform: 'platform_b',
      mode: 'sandbox',
      records: { project: 5, customer: 5, contract: 10, invoice: 8, payment: 8 },
      whole: true,
      complete: true,
      gaps: [],
      calls: 0,
      limited: 0,
      deleted: 0,
      deletions_held: 0,
    });
    expect((await json('connections', 'list', '--customer', customer)).connections).toHaveLength(1);
    const { out } = await cli('connections', 'sync', ...of, '--full');
    expect(out).toBe('36 records; everything was read in 0 calls, 0 refused by limits\n');
  });

  it('counts no calls of a sandbox, and tests no connection to it', async () => {
    const of = ['--customer', await aCustomer(), '--platform', 'platform_a'];
    expect((await cli('connections', 'sync', ...of, '--dry-run')).out).toBe('A sandbox takes no calls\n');
    expect(await cli('connections', 'test', ...of)).toEqual({
      code: 0,
      out: 'platform_a is a sandbox: there are no credentials to try\n',
      err: '',
    });
  });

  it('needs a customer and a platform', async () => {
    expect(await cli('connections', 'sync', '--customer', nobody, '--platform', 'platform_a')).toMatchObject({
      code: 1,
      err: 'No customer with this ID\n',
    });
    expect((await cli('connections', 'sync', '--customer', nobody, '--platform', 'x')).code).toBe(2);
    expect((await cli('connections', 'test', '--customer', nobody)).code).toBe(2);
    for (const [command = '', ...options] of [['test'], ['sync', '--dry-run']]) {
      const of = ['--customer', nobody, '--platform', 'platform_a'];
      expect(await cli('connections', command, ...of, ...options)).toEqual({
        code: 1,
        out: '',
        err: `No customer with ID ${nobody}\n`,
      });
    }
    const half = [
      'connections',
      'sync',
      '--customer',
      nobody,
      '--platform',
      'platform_a',
      '--accept-deletions',
    ];
    expect(await cli(...half)).toEqual({
      code: 2,
      out: '',
      err: 'error: --accept-deletions goes with --full, and not with --dry-run.\n',
    });
  });
});
