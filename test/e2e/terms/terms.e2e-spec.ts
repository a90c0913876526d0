import { Client } from 'pg';
import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { keptCommandsOn } from '../cli/run-command';

const since = expect.stringMatching(/\.\d{3}Z$/);
const why = { reason: 'Agreed at the yearly review', decided_by: 'Mariam, finance' };
const unsaid = { reason: null, decided_by: null };

describe('the terms of a customer, over the API', () => {
  let service: RunningApp;
  let database: Client;
  const { json } = keptCommandsOn(() => service.databaseUrl);
  beforeAll(async () => {
    service = await startApp();
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await service.close();
  });

  async function aCustomer() {
    const { key, customerId } = await service.issueKey('live');
    const client = api(service.url, key);
    const send = (method: string, path: string, body: object = {}) => client.send(method, path, { body });
    return { client, customerId, send, put: (path: string, body: object) => send('PUT', path, body) };
  }

  describe('rates', () => {
    it('are set, set again, listed and removed, as the operator’s commands do', async () => {
      const { client, customerId, put, send } = await aCustomer();
      const set = await put('/rates', { from: 'EUR', to: 'USD', rate: '1.0800', ...why });
      const rate = { from: 'EUR', to: 'USD', rate: '1.0800', set_at: since, ...why };
      expect([set.status, set.body]).toEqual([200, { data: rate }]);
      await put('/rates', { from: 'QAR', to: 'USD', rate: '0.27', ...unsaid });
      await put('/rates', { from: 'EUR', to: 'USD', rate: '1.09' });
      expect((await client.get('/rates')).body).toEqual({
        data: [
          { ...rate, rate: '1.09', ...unsaid },
          { from: 'QAR', to: 'USD', rate: '0.27', set_at: since, ...unsaid },
        ],
      });
      expect((await json('rates', 'list', '--customer', customerId)).rates).toHaveLength(2);
      const removed = await send('DELETE', '/rates/EUR/USD', why);
      expect([removed.status, removed.text]).toEqual([204, '']);
      expectError(await send('DELETE', '/rates/EUR/USD'), 404, 'NOT_FOUND', /has no rate from EUR to USD$/);
      const { rows } = await database.query('select detail from changes where customer_id = $1 order by at', [
        customerId,
      ]);
      expect(rows.map(({ detail }) => detail)).toEqual([
        { kind: 'rate', name: 'EUR USD', value: '1.0800', ...why },
        { kind: 'rate', name: 'QAR USD', value: '0.27' },
        { kind: 'rate', name: 'EUR USD', value: '1.09' },
        { kind: 'rate', name: 'EUR USD', value: null, ...why },
      ]);
    });

    it('count at once, and statements of earlier times keep those of then', async () => {
      const { client, put } = await aCustomer();
      await client.post('/connect', { platform: 'platform_a' });
      const statement = async (query = '') =>
        (await client.get(`/reconciliation?currency=JPY${query}`)).body.data;
      const before = await statement();
      expect(before.missing_rates).toEqual(['USD']);
      await put('/rates', { from: 'USD', to: 'JPY', rate: '150' });
      expect((await statement()).missing_rates).toEqual([]);
      expect((await statement(`&as_of=${before.as_of}`)).missing_rates).toEqual(['USD']);
    });

    it.each([
      [{ from: 'EUR', to: 'EUR', rate: '1' }, 'to: expected another currency'],
      [{ from: 'EUX', to: 'USD', rate: '1' }, 'from: expected an ISO 4217 currency'],
      [{ from: 'eur', to: 'USD', rate: '1' }, 'from: expected an ISO 4217 currency'],
      [{ from: 'EUR', to: 'USD', rate: '0' }, 'rate: expected a positive decimal'],
      [{ from: 'EUR', to: 'USD', rate: '1e3' }, 'rate: expected a positive decimal'],
      [{ from: 'EUR', to: 'USD', rate: 1.08 }, 'rate must be a string'],
      [{ from: 'EUR', to: 'USD', rate: '1', reason: ' ' }, 'reason must say something'],
      [{ from: 'EUR', to: 'USD', rate: '1', decided_by: 'x'.repeat(201) }, 'decided_by must be shorter'],
    ])('are not %j', async (body, problem) => {
      const { put } = await aCustomer();
      expectError(await put('/rates', body), 400, 'VALIDATION_ERROR', new RegExp(problem));
    });

    it('of pairs that are none are not there', async () => {
      const { send } = await aCustomer();
      for (const pair of ['EUR/USD', 'eur/USD', 'x/y', '%00/USD']) {
        expectError(await send('DELETE', `/rates/${pair}`), 404, 'NOT_FOUND');
      }
    });

    it('are 500 at most, since each request reads all of them', async () => {
      const { customerId, put } = await aCustomer();
      await database.query(
        `insert into exchange_rates (customer_id, from_currency, to_currency, rate, set_at)
         select $1, 'F' || n, 'USD', '2', now() from generate_series(1, 499) n`,
        [customerId],
      );
      expect((await put('/rates', { from: 'EUR', to: 'USD', rate: '1' })).status).toBe(200);
      expectError(
        await put('/rates', { from: 'GBP', to: 'USD', rate: '1' }),
        409,
        'CONFLICT_ERROR',
        /500 rates/,
      );
      expect((await put('/rates', { from: 'EUR', to: 'USD', rate: '2' })).status).toBe(200);
    });
  });

  describe('precedence', () => {
    it('is set, listed and cleared, and counts at once', async () => {
      const { client, put, send } = await aCustomer();
      for (const platform of ['platform_a', 'platform_b']) await client.post('/connect', { platform });
      const { body } = await client.get('/objects?platform=platform_a&entity_type=payment');
      const { canonical_id: id } = body.data.find(
        ({ mappings }: { mappings: object[] }) => mappings.length === 2,
      );
      await client.post('/propagate', {
        format: 'canonical',
        canonical_id: id,
        entity_type: 'payment',
        data: { notes: 'The same on both' },
      });
      const set = await put('/precedence/payment/notes', { platforms: ['platform_b'], ...why });
      const own = { entity_type: 'payment', field: 'notes', platforms: ['platform_b'], since, ...why };
      expect([set.status, set.body]).toEqual([200, { data: own }]);
      const listed = { default_platforms: ['platform_a', 'platform_b'], precedence: [own] };
      expect((await client.get('/precedence')).body).toEqual({ data: listed });
      expect((await send('DELETE', '/precedence/payment/notes')).status).toBe(204);
      expect((await client.get('/precedence')).body.data.precedence).toEqual([]);
      expectError(await send('DELETE', '/precedence/payment/notes'), 404, 'NOT_FOUND');
    });

    it.each([
      ['payment/colour', ['platform_b'], 404, 'no field of payment'],
      ['payment/invoice_id', ['platform_b'], 404, 'a reference has no precedence'],
      ['payment/created_at', ['platform_b'], 404, 'each platform keeps its own'],
      ['drawing/name', ['platform_b'], 404, 'expected one of project'],
      ['payment/date', [], 400, 'platforms: expected at least one'],
      ['payment/date', ['platform_b', 'platform_b'], 400, 'each at most once'],
      ['payment/date', ['platform_x'], 400, 'platform_x'],
      ['payment/date', 'platform_b', 400, 'platforms must be an array'],
    ])('is not that of %s: %j', async (path, platforms, status, problem) => {
      const { put } = await aCustomer();
      const answer = await put(`/precedence/${path}`, { platforms });
      expectError(answer, status, status === 404 ? 'NOT_FOUND' : 'VALIDATION_ERROR', new RegExp(problem));
    });
  });

  describe('rules', () => {
    it('are listed with their levels, set and cleared, and count at once', async () => {
      const { client, put, send } = await aCustomer();
      await client.post('/connect', { platform: 'platform_a' });
      const level = async () => (await client.get('/rules')).body.data[0];
      const byDefault = { rule: 'paid_above_billed', level: 'refuse', since: null, ...unsaid };
      expect(await level()).toEqual(byDefault);
      const change = {
        format: 'platform',
        platform: 'platform_a',
        platform_id: '1823456',
        entity_type: 'payment',
        data: { amount: '2500000.00' },
        dry_run: true,
      };
      expect((await client.post('/propagate', change)).status).toBe(422);
      const set = await put('/rules/paid_above_billed', { level: 'off', ...why });
      const off = { rule: 'paid_above_billed', level: 'off', since, ...why };
      expect([set.status, set.body]).toEqual([200, { data: off }]);
      expect(await level()).toEqual(off);
      expect((await client.post('/propagate', change)).status).toBe(200);
      expect((await send('DELETE', '/rules/paid_above_billed', why)).status).toBe(204);
      expect(await level()).toEqual(byDefault);
      expect((await client.post('/propagate', change)).status).toBe(422);
      expectError(await send('DELETE', '/rules/paid_above_billed'), 404, 'NOT_FOUND');
    });

    it('are those that there are, with levels that there are', async () => {
      const { put, send } = await aCustomer();
      expectError(await put('/rules/paid_above_all', { level: 'off' }), 404, 'NOT_FOUND', /no such rule/);
      expectError(await send('DELETE', '/rules/paid_above_all'), 404, 'NOT_FOUND', /no such rule/);
      const loud = await put('/rules/paid_above_billed', { level: 'shout' });
      expectError(loud, 400, 'VALIDATION_ERROR', /level must be one of refuse, warn, off/);
    });
  });

  it('is a customer’s own', async () => {
    const [one, other] = [await aCustomer(), await aCustomer()];
    await one.put('/rates', { from: 'EUR', to: 'USD', rate: '1.08' });
    expect((await other.client.get('/rates')).body.data).toEqual([]);
    expectError(await other.send('DELETE', '/rates/EUR/USD'), 404, 'NOT_FOUND');
  });
});
