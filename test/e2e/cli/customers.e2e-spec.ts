import { Client } from 'pg';
import { StorageQuota } from '../../../src/records/storage-quota/storage-quota';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { until } from '../../support/live/live-work';
import { commandsOn, keptCommandsOn, nobody, UUID } from './run-command';

describe('customers', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp();
  });
  const { cli, json, aCustomer, aKey } = keptCommandsOn(() => service.databaseUrl);
  afterAll(() => service.close());

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
      'refuses the arguments %j',
      async (...args) => {
        expect(await cli('customers', 'create', ...args)).toEqual({
          code: 2,
          out: '',
          err: expect.stringContaining('--name'),
        });
      },
    );
  });

  describe('set', () => {
    it('gives a customer another name or time zone, and leaves what is not named', async () => {
      const customer = await aCustomer('Acme');
      const set = (...args: string[]) => json('customers', 'set', '--customer', customer, ...args);
      expect(await set('--time-zone', 'Asia/Qatar')).toEqual({
        customer_id: customer,
        name: 'Acme',
        time_zone: 'Asia/Qatar',
      });
      expect(await set('--name', ' Acme WLL ')).toMatchObject({ name: 'Acme WLL', time_zone: 'Asia/Qatar' });
      expect((await json('customers', 'list')).customers).toContainEqual(
        expect.objectContaining({ customer_id: customer, name: 'Acme WLL', time_zone: 'Asia/Qatar' }),
      );
      const { api_key: key } = await aKey(customer);
      expect((await api(service.url, key).get('/me')).body.data.customer).toEqual({
        id: customer,
        name: 'Acme WLL',
        time_zone: 'Asia/Qatar',
      });
    });

    it('refuses a customer that is not there', async () => {
      expect(await cli('customers', 'set', '--customer', nobody, '--name', 'Acme')).toEqual({
        code: 1,
        out: '',
        err: `No customer with ID ${nobody}\n`,
      });
    });

    it.each([[], ['--time-zone', 'Qatar time'], ['--time-zone', '+03:00'], ['--name', '']])(
      'refuses the arguments %j',
      async (...args) => {
        const { code, out, err } = await cli('customers', 'set', '--customer', nobody, ...args);
        expect({ code, out }).toEqual({ code: 2, out: '' });
        expect(err).toMatch(/--(name|time-zone)/);
      },
    );
  });

  describe('remove', () => {
    it('removes a customer with its keys and everything that is stored for it, and no other', async () => {
      const customer = await aCustomer('Leaving');
      const other = await aCustomer('Staying');
      const client = api(service.url, (await aKey(customer)).api_key);
      const staying = api(service.url, (await aKey(other)).api_key);
      for (const each of [client, staying])
        expect((await each.post('/connect', { platform: 'platform_a' })).status).toBe(200);
      // Gives the events their numbers.
      expect((await client.get('/events')).status).toBe(200);
      expect(await rowsOf(customer)).toContain('events');

      const { code, out } = await cli('customers', 'remove', '--customer', customer);
      expect({ code, out }).toEqual({ code: 0, out: `Removed the customer ${customer}\n` });
      expect(await rowsOf(customer)).toEqual([]);
      await until('the key is refused', async () => (await client.get('/me')).status === 401);
      const { body } = await staying.get('/objects?platform=platform_a&entity_type=payment');
      expect(body.data.length).toBeGreaterThan(0);
      expect(await cli('customers', 'remove', '--customer', customer)).toEqual({
        code: 1,
        out: '',
        err: `No customer with ID ${customer}\n`,
      });
    });

    it('refuses while the customer has a live connection, and names the command that ends it', async () => {
      const customer = await aCustomer('Connected');
      await sql(
        `insert into live_connections (customer_id, platform, settings, sealed_secrets, sealed_key, master_key_id)
         values ($1, 'platform_b', '{}', '', '', 'first')`,
        [customer],
      );
      expect(await cli('customers', 'remove', '--customer', customer)).toEqual({
        code: 1,
        out: '',
        err: `The customer has live connections; end them first: connections remove --customer ${customer} --platform platform_b\n`,
      });
      expect(await rowsOf(customer)).toContain('live_connections');
    });

    const sql = async (text: string, values: readonly unknown[] = []) => {
      const database = new Client({ connectionString: service.databaseUrl });
      await database.connect();
      try {
        return (await database.query(text, [...values])).rows as Record<string, string>[];
      } finally {
        await database.end();
      }
    };
    /** The tables with rows of a customer. */
    const rowsOf = async (customer: string): Promise<readonly string[]> => {
      const tables = await sql(
        `select table_name from information_schema.columns
         where table_schema = current_schema() and column_name = 'customer_id' order by table_name`,
      );
      const found: string[] = [];
      for (const { table_name: table = '' } of tables) {
        const rows = await sql(`select from "${table}" where customer_id = $1 limit 1`, [customer]);
        if (rows.length > 0) found.push(table);
      }
      return found;
    };
  });

  describe('list', () => {
    const neverCounted = {
      history_bytes: null,
      kept_answers_bytes: null,
      quota_bytes: 20 * 1024 ** 3,
      counted_at: null,
    };
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
          time_zone: 'UTC',
          kind: 'standard',
          created_at: expect.stringMatching(/Z$/),
          keys_in_use: 3,
          connections: 0,
          storage: neverCounted,
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

    it('shows the last count of bytes of history and kept answers of a customer, and the quota', async () => {
      const { key, customerId } = await service.openSession();
      const client = api(service.url, key);
      const change = {
        format: 'platform',
        platform: 'platform_a',
        platform_id: '1823391',
        entity_type: 'payment',
        data: { notes: 'Changed' },
      };
      await client.post('/connect', { platform: 'platform_a' });
      expect((await client.post('/propagate', change, { 'Idempotency-Key': 'one' })).status).toBe(200);
      const quota = service.app.get(StorageQuota, { strict: false });
      await quota.settled();
      await quota.recount(customerId);
      const { storage } = (await client.get('/connections')).body.data;
      const shown = { ...storage, counted_at: expect.stringMatching(/Z$/) };
      expect(storage.history_bytes).toBeGreaterThan(0);
      expect(storage.kept_answers_bytes).toBeGreaterThan(0);
      const [listed] = (await list('--all')).filter(({ customer_id: id }) => id === customerId);
      expect(listed?.storage).toEqual(shown);
      expect((await json('connections', 'list', '--customer', customerId)).storage).toEqual(shown);
      const stored = String(storage.history_bytes + storage.kept_answers_bytes);
      const lines = (await cli('customers', 'list', '--all')).out.split('\n');
      expect(lines.find((line) => line.startsWith(customerId))).toMatch(
        new RegExp(` ${stored} +${String(storage.quota_bytes)}$`),
      );
      const unlimited = commandsOn(() => service.databaseUrl, { DEMO_STORAGE_QUOTA: '0' });
      const { customers } = await unlimited.json('customers', 'list', '--all');
      expect(customers).toContainEqual(
        expect.objectContaining({ customer_id: customerId, storage: { ...shown, quota_bytes: null } }),
      );
    });

    it('is a table for people, on which no name breaks a line', async () => {
      const customer = await aCustomer('Two\nlines');
      const lines = (await cli('customers', 'list')).out.split('\n');
      expect(lines[0]).toMatch(
        /^customer_id +name +time_zone +kind +created_at +keys_in_use +connections +stored_bytes +quota_bytes$/,
      );
      expect(lines.find((line) => line.startsWith(customer))).toMatch(
        /^\S+ +Two\\u000alines +UTC +standard +\S+Z +0 +0 +- +21474836480$/,
      );
    });
  });
});
