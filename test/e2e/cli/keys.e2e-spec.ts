import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { keptCommandsOn, nobody, UUID } from './run-command';

describe('keys', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp();
  });
  const { cli, json, aCustomer, aKey } = keptCommandsOn(() => service.databaseUrl);
  afterAll(() => service.close());

  it.each(['test', 'live'])('issue gives a %s key that works', async (mode) => {
    const customer = await aCustomer();
    const issued = await json('keys', 'issue', '--customer', customer, '--mode', mode);
    expect(issued).toEqual({
      key_id: expect.stringMatching(UUID),
      customer_id: customer,
      mode,
      label: null,
      permissions: ['read', 'write', 'decide', 'administer'],
      api_key: expect.stringMatching(new RegExp(`^sk_${mode}_[A-Za-z0-9]{32,}$`)),
    });
    expect((await api(service.url, issued.api_key).delete('/demo/session')).status).toBe(403);
  });

  it('issue writes the key, and nothing but the key, to standard output', async () => {
    const { out, err } = await cli('keys', 'issue', '--customer', await aCustomer(), '--mode', 'live');
    expect(out).toMatch(/^sk_live_[A-Za-z0-9]+\n$/);
    expect(err).toMatch(/shown this once/);
    expect(err).not.toContain(out.trim());
  });

  it('list shows what is stored, oldest first, and never a key', async () => {
    const customer = await aCustomer();
    const first = await aKey(customer, 'test');
    const second = await aKey(customer);
    await json('keys', 'revoke', '--key-id', first.key_id);
    const listing = await json('keys', 'list', '--customer', customer);
    expect(listing).toEqual({
      customer_id: customer,
      keys: [
        {
          key_id: first.key_id,
          label: null,
          mode: 'test',
          permissions: ['read', 'write', 'decide', 'administer'],
          hint: `sk_test_…${first.api_key.slice(-4)}`,
          created_at: expect.stringMatching(/Z$/),
          expires_at: null,
          revoked_at: expect.stringMatching(/Z$/),
        },
        expect.objectContaining({ key_id: second.key_id, mode: 'live', expires_at: null, revoked_at: null }),
      ],
    });
    const { out } = await cli('keys', 'list', '--customer', customer);
    expect(out.split('\n')).toHaveLength(4);
    expect(out).toContain(second.key_id);
    expect(out).not.toContain(second.api_key);
  });

  it('issue takes the permissions and the label of a key', async () => {
    const customer = await aCustomer();
    const issued = await json(
      ...['keys', 'issue', '--customer', customer, '--mode', 'live'],
      ...['--permissions', 'decide, read,decide', '--label', ' Month end '],
    );
    expect(issued).toMatchObject({ label: 'Month end', permissions: ['read', 'decide'] });
    expect((await api(service.url, issued.api_key).get('/connections')).status).toBe(200);
    const refused = await api(service.url, issued.api_key).post('/connect', { platform: 'platform_a' });
    expectError(refused, 403, 'AUTHORIZATION_ERROR', 'The key does not have the permission write');
    const rotated = await json('keys', 'rotate', '--key-id', issued.key_id);
    expect(rotated).toMatchObject({ label: 'Month end', permissions: ['read', 'decide'] });
    const { keys } = await json('keys', 'list', '--customer', customer);
    expect(keys).toEqual([
      expect.objectContaining({ label: 'Month end', permissions: ['read', 'decide'] }),
      expect.objectContaining({ label: 'Month end', permissions: ['read', 'decide'] }),
    ]);
    const { out } = await cli('keys', 'list', '--customer', customer);
    expect(out).toMatch(/Month end +live +read,decide +sk_live_/);
  });

  it('revoke makes a key void at once, and again changes nothing', async () => {
    const customer = await aCustomer();
    const { key_id: id, api_key: key } = await aKey(customer);
    const first = await json('keys', 'revoke', '--key-id', id.toUpperCase());
    expect((await api(service.url, key).delete('/demo/session')).status).toBe(401);
    expect(await json('keys', 'revoke', '--key-id', id)).toEqual(first);
  });

  it('refuse a customer or key that does not exist', async () => {
    for (const args of [
      ['keys', 'issue', '--customer', nobody, '--mode', 'live'],
      ['keys', 'list', '--customer', nobody],
      ['keys', 'revoke', '--key-id', nobody],
    ]) {
      expect(await cli(...args)).toEqual({
        code: 1,
        out: '',
        err: expect.stringMatching(/^No (customer|key) with ID 0/),
      });
    }
  });

  it('cannot be added to a demo session', async () => {
    const { customerId } = await service.openSession();
    expect(await cli('keys', 'issue', '--customer', customerId, '--mode', 'live', '--json')).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('demo session'),
    });
  });

  it.each([
    ['keys', 'issue', '--customer', nobody],
    ['keys', 'issue', '--customer', nobody, '--mode', 'demo'],
    ['keys', 'issue', '--customer', 'Acme', '--mode', 'live'],
    ['keys', 'issue', '--customer', nobody, '--mode', 'live', '--permissions', ''],
    ['keys', 'issue', '--customer', nobody, '--mode', 'live', '--permissions', 'read,erase'],
    ['keys', 'issue', '--customer', nobody, '--mode', 'live', '--label', ' '],
    ['keys', 'list'],
    ['keys', 'revoke', '--key-id', '7'],
    ['keys', 'list', '--customer', nobody, '--verbose'],
  ])('refuse the arguments %s %s %s %s', async (...args) => {
    const { code, out, err } = await cli(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).not.toBe('');
  });
});
