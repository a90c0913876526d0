import { outputTo } from '../../../src/cli/output';
import { runCli } from '../../../src/cli/run';
import { api } from '../../support/api';
import { startApp, type RunningApp } from '../../support/app';

const UUID = /^[0-9a-f-]{36}$/;
const nobody = '00000000-0000-4000-8000-000000000000';

describe('operator commands', () => {
  let service: RunningApp;
  beforeAll(async () => {
    service = await startApp();
  });
  afterAll(() => service.close());

  async function cli(...args: string[]) {
    let out = '';
    let err = '';
    const output = outputTo(
      (text) => (out += text),
      (text) => (err += text),
    );
    const code = await runCli(args, { DATABASE_URL: service.databaseUrl, LOG_LEVEL: 'silent' }, output);
    return { code, out, err };
  }

  async function json(...args: string[]): Promise<ReturnType<typeof JSON.parse>> {
    const { code, out, err } = await cli(...args, '--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^[^\n]+\n$/);
    return JSON.parse(out);
  }

  const aCustomer = async (): Promise<string> =>
    (await json('customers', 'create', '--name', 'Acme')).customer_id;

  describe('customers create', () => {
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

  describe('keys', () => {
    it.each(['test', 'live'])('issue gives a %s key that works', async (mode) => {
      const customer = await aCustomer();
      const issued = await json('keys', 'issue', '--customer', customer, '--mode', mode);
      expect(issued).toEqual({
        key_id: expect.stringMatching(UUID),
        customer_id: customer,
        mode,
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
      const first = await json('keys', 'issue', '--customer', customer, '--mode', 'test');
      const second = await json('keys', 'issue', '--customer', customer, '--mode', 'live');
      await json('keys', 'revoke', '--key-id', first.key_id);
      const listing = await json('keys', 'list', '--customer', customer);
      expect(listing).toEqual({
        customer_id: customer,
        keys: [
          {
            key_id: first.key_id,
            mode: 'test',
            hint: `sk_test_…${first.api_key.slice(-4)}`,
            created_at: expect.stringMatching(/Z$/),
            revoked_at: expect.stringMatching(/Z$/),
          },
          expect.objectContaining({ key_id: second.key_id, mode: 'live', revoked_at: null }),
        ],
      });
      const { out } = await cli('keys', 'list', '--customer', customer);
      expect(out.split('\n')).toHaveLength(4);
      expect(out).toContain(second.key_id);
      expect(out).not.toContain(second.api_key);
    });

    it('revoke makes a key void at once, and again changes nothing', async () => {
      const customer = await aCustomer();
      const { key_id: id, api_key: key } = await json(
        'keys',
        'issue',
        '--customer',
        customer,
        '--mode',
        'live',
      );
      const first = await json('keys', 'revoke', '--key-id', id.toUpperCase());
      expect((await api(service.url, key).delete('/demo/session')).status).toBe(401);
      expect(await json('keys', 'revoke', '--key-id', id)).toEqual(first);
    });

    it('refuse what is not there', async () => {
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
      ['keys', 'list'],
      ['keys', 'revoke', '--key-id', '7'],
      ['keys', 'steal'],
      ['keys', 'list', '--customer', nobody, '--verbose'],
      ['nonsense'],
      [],
    ])('are misused by %s %s %s %s', async (...args) => {
      const { code, out, err } = await cli(...args);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).not.toBe('');
    });
  });

  describe('rates', () => {
    it('are set, replaced, listed and removed', async () => {
      const customer = await aCustomer();
      const pair = ['--customer', customer, '--from', 'usd', '--to', 'QAR'];
      expect(await json('rates', 'set', ...pair, '--rate', '3.6')).toEqual({
        customer_id: customer,
        from: 'USD',
        to: 'QAR',
        rate: '3.6',
      });
      await json('rates', 'set', ...pair, '--rate', '3.6400');
      await json('rates', 'set', '--customer', customer, '--from', 'EUR', '--to', 'QAR', '--rate', '4.1');
      expect(await json('rates', 'list', '--customer', customer)).toEqual({
        customer_id: customer,
        rates: [
          { from: 'EUR', to: 'QAR', rate: '4.1', set_at: expect.stringMatching(/Z$/) },
          { from: 'USD', to: 'QAR', rate: '3.6400', set_at: expect.stringMatching(/Z$/) },
        ],
      });
      expect((await cli('rates', 'list', '--customer', customer)).out).toContain('3.6400');
      await json('rates', 'remove', ...pair);
      expect(await cli('rates', 'remove', ...pair)).toMatchObject({ code: 1, out: '' });
      expect((await json('rates', 'list', '--customer', customer)).rates).toHaveLength(1);
    });

    it.each([
      ['--from', 'USD', '--to', 'QAR', '--rate', '0'],
      ['--from', 'USD', '--to', 'QAR', '--rate', '-1'],
      ['--from', 'USD', '--to', 'QAR', '--rate', '3,64'],
      ['--from', 'USD', '--to', 'QAR', '--rate', '1e3'],
      ['--from', 'USD', '--to', 'QAR'],
      ['--from', 'USD', '--to', 'USD', '--rate', '1'],
      ['--from', 'XQX', '--to', 'QAR', '--rate', '1'],
    ])('are not %s %s %s %s %s %s', async (...args) => {
      const { code, out, err } = await cli('rates', 'set', '--customer', await aCustomer(), ...args);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toMatch(/--(rate|to|from)/);
    });

    it('need a customer', async () => {
      const pair = ['--customer', nobody, '--from', 'USD', '--to', 'QAR'];
      for (const args of [
        ['set', ...pair, '--rate', '3.64'],
        ['list', '--customer', nobody],
        ['remove', ...pair],
      ]) {
        expect(await cli('rates', ...args)).toEqual({
          code: 1,
          out: '',
          err: `No customer with ID ${nobody}\n`,
        });
      }
    });
  });

  it('explain themselves', async () => {
    const { code, out } = await cli('--help');
    expect(code).toBe(0);
    for (const command of ['customers', 'keys', 'rates']) expect(out).toContain(command);
  });

  it.each([
    [{ DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/nothing' }, 'The database does not answer\n'],
    [{ DATABASE_URL: 'nonsense' }, expect.stringMatching(/^Bad environment: DATABASE_URL: /)],
  ])('say in one line why they cannot work (%j)', async (environment, message) => {
    let err = '';
    const output = outputTo(
      () => undefined,
      (text) => (err += text),
    );
    expect(await runCli(['keys', 'list', '--customer', nobody], environment, output)).toBe(1);
    expect(err).toEqual(message);
  });
});
