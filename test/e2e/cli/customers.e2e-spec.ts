import { startApp, type RunningApp } from '../../support/app';
import { commandsOn, UUID } from './run-command';

describe('customers', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp();
  });
  afterAll(() => service.close());
  const { cli, json, aCustomer, aKey } = commandsOn(() => service.databaseUrl);

  describe('create', () => {
    it('gives the ID of a new customer', async () => {
      expect(await json('customers', 'create', '--name', ' Acme WLL ')).toEqual({
        customer_id: expect.stringMatching(UUID),
        name: 'Acme WLL',
      });
    });

    it('writes the ID to standard output, and what it did to standard error', async () => {
      const { out, err } = await cli('customers', 'create', '--name', 'Acme');
      expect(out).toMatch(/^[0-9a-f-]{36}\n$/);
      expect(err).toBe('Created customer "Acme"\n');
    });

    it.each([[], ['--name', ''], ['--name', ' '], ['--name', 'x'.repeat(201)], ['--name', 'a\0b']])(
      'is misused by %j',
      async (...args) => {
        expect(await cli('customers', 'create', ...args)).toEqual({
          code: 2,
          out: '',
          err: expect.stringContaining('--name'),
        });
      },
    );
  });

  describe('list', () => {
    const list = async (...args: string[]): Promise<Record<string, unknown>[]> =>
      (await json('customers', 'list', ...args)).customers;

    it('shows customers, oldest first, with their keys in use and their connections', async () => {
      const first = await aCustomer('First');
      const second = await aCustomer('Second');
      await aKey(first, 'test');
      const revoked = await aKey(first);
      await json('keys', 'revoke', '--key-id', revoked.key_id);
      // Both the old key and the new one are in use.
      const rotated = await aKey(first);
      await json('keys', 'rotate', '--key-id', rotated.key_id);
      const shown = (await list()).filter(({ customer_id: id }) => id === first || id === second);
      expect(shown).toEqual([
        {
          customer_id: first,
          name: 'First',
          kind: 'standard',
          created_at: expect.stringMatching(/Z$/),
          keys_in_use: 3,
          connections: 0,
        },
        expect.objectContaining({ customer_id: second, name: 'Second', keys_in_use: 0 }),
      ]);
    });

    it('leaves demo sessions out, unless all are asked for', async () => {
      const { customerId } = await service.openSession();
      const ids = (rows: Record<string, unknown>[]) => rows.map(({ customer_id: id }) => id);
      expect(ids(await list())).not.toContain(customerId);
      expect(await list('--all')).toContainEqual(
        expect.objectContaining({ customer_id: customerId, kind: 'demo', keys_in_use: 1 }),
      );
      expect(ids(await list('--all'))).toEqual(expect.arrayContaining(ids(await list())));
    });

    it('is a table for people, on which no name breaks a line', async () => {
      const customer = await aCustomer('Two\nlines');
      const lines = (await cli('customers', 'list')).out.split('\n');
      expect(lines[0]).toMatch(/^customer_id +name +kind +created_at +keys_in_use +connections$/);
      expect(lines.find((line) => line.startsWith(customer))).toMatch(
        /^\S+ +Two\\u000alines +standard +\S+Z +0 +0$/,
      );
    });
  });
});
