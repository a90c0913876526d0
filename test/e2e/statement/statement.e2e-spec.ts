import { api } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { GivenRecords, record } from '../../support/platforms/given-records';
import { connect } from '../../support/customers/listings';
import { ExchangeRatesService } from '../../../src/terms/rates/exchange-rates.service';
import { RatesModule } from '../../../src/terms/rates/rates.module';
import { guid } from '../../support/records/guid';

type Body = ReturnType<typeof JSON.parse>;

describe('GET /reconciliation', () => {
  const sources = new GivenRecords();
  let service: RunningApp;
  beforeAll(async () => (service = await startApp({}, [RatesModule], sources)));
  afterAll(() => service.close());

  const caller = async () => {
    const { key, customerId } = await service.openSession();
    return { client: api(service.url, key), customerId };
  };

  /** Payments on both platforms: one agrees, one differs, one on each side alone, two ambiguous, one without a rate. */
  const withPayments = async () => {
    const { client, customerId } = await caller();
    sources.give(customerId, 'platform_a', [
      record('payment', { id: 1, amount: '100.00', check_number: 'CHK-1' }),
      record('payment', { id: 2, amount: '50.00', check_number: 'CHK-2' }),
      record('payment', { id: 3, amount: '7.00', check_number: '007' }),
      record('payment', { id: 4, amount: '1.00', check_number: 'CHK-4' }),
      record('payment', { id: 5, amount: '2.00', check_number: 'CHK-4' }),
    ]);
    sources.give(customerId, 'platform_b', [
      record('payment', { id: guid(1), amount: -364, currencyCode: 'QAR', externalDocumentNumber: 'CHK-1' }),
      record('payment', { id: guid(2), amount: -60, currencyCode: 'USD', externalDocumentNumber: 'CHK-2' }),
      record('payment', { id: guid(3), amount: -9, currencyCode: 'USD', externalDocumentNumber: 'CHK-9' }),
      record('payment', { id: guid(4), amount: -4, currencyCode: 'USD', externalDocumentNumber: 'CHK-4' }),
      record('payment', { id: guid(5), amount: -1000, currencyCode: 'JPY', externalDocumentNumber: '=1+1' }),
    ]);
    for (const platform of ['platform_a', 'platform_b'] as const) await connect(client, platform);
    return { client, customerId };
  };

  const payments = (body: Body): Body => body.data.types.find((type: Body) => type.entity_type === 'payment');

  it('leads from one sum to the other, cause by cause', async () => {
    const { client } = await withPayments();
    const { status, body } = await client.get('/reconciliation');
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      complete: true,
      reasons: [],
      platforms: ['platform_a', 'platform_b'],
      currency: 'USD',
      project_id: null,
      missing_rates: ['JPY'],
    });
    const { counts, totals, ages } = payments(body);
    expect(counts).toEqual({
      agree: 1,
      disagree: 1,
      only_on: { platform_a: 1, platform_b: 2 },
      ambiguous: 3,
      accepted: 0,
      deleted: { platform_a: 0, platform_b: 0 },
    });
    expect(ages).toEqual({ '0-30': 7, '31-60': 0, '61-90': 0, 'over-90': 0 });
    const usd = (amount: number) => ({ amount, currency: 'USD' });
    const accepted = { objects: 0, amount: usd(0) };
    expect(totals).toEqual({
      from: { platform: 'platform_a', records: 5, summed: 5, without_amount: 0, sum: usd(16_000) },
      lines: [
        { cause: 'only_on_platform_a', objects: 1, amount: usd(-700), accepted },
        { cause: 'only_on_platform_b', objects: 1, amount: usd(900), accepted },
        { cause: 'ambiguous', objects: 3, amount: usd(100), accepted },
        { cause: 'amounts_disagree', objects: 1, amount: usd(1000), accepted },
        { cause: 'rounding', objects: 0, amount: usd(0), accepted },
        { cause: 'no_amount', objects: 0, amount: usd(0), accepted },
        { cause: 'not_comparable', objects: 1, amount: usd(0), accepted },
      ],
      to: { platform: 'platform_b', records: 5, summed: 4, without_amount: 0, sum: usd(17_300) },
      outside: [{ platform: 'platform_b', records: 1, sum: { amount: 1000, currency: 'JPY' } }],
    });
    expect(body.data.rates).toEqual([
      {
        from: 'QAR',
        to: 'USD',
        rate: '3.64',
        quotes: [{ from: 'USD', to: 'QAR', rate: '3.64' }],
        source: 'peg',
        inverted: true,
        via: null,
        set_at: null,
      },
    ]);
  });

  it('has the same digest for equal books, and another one for others', async () => {
    const { client } = await withPayments();
    const digest = async (query = '') =>
      (await client.get(`/reconciliation${query}`)).body.data.digest as string;
    const first = await digest();
    expect(await digest()).toBe(first);
    expect(await digest('?currency=QAR')).not.toBe(first);
    await client.post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      platform_id: '2',
      entity_type: 'payment',
      data: { amount: '60.00' },
    });
    expect(await digest()).not.toBe(first);
    const { counts } = payments((await client.get('/reconciliation')).body);
    expect(counts).toMatchObject({ agree: 2, disagree: 0 });
  });

  it('sums up in another currency, by rates agreed with the customer', async () => {
    const { client, customerId } = await withPayments();
    const rates = service.app.get(ExchangeRatesService, { strict: false });
    const before = await client.get('/reconciliation?entity_type=payment&currency=JPY');
    expect(before.body.data.missing_rates).toEqual(['QAR', 'USD']);
    await rates.set(customerId, { from: 'USD', to: 'JPY', rate: '150' });
    const { body } = await client.get('/reconciliation?entity_type=payment&currency=JPY');
    expect(body.data.types).toHaveLength(1);
    expect(body.data.missing_rates).toEqual(['QAR']);
    expect(body.data.rates).toEqual([
      expect.objectContaining({ from: 'USD', to: 'JPY', rate: '150', source: 'customer', inverted: false }),
    ]);
    expect(body.data.rates[0].set_at).toMatch(/Z$/);
    expect(payments(body).totals.from.sum).toEqual({ amount: 24_000, currency: 'JPY' });
    expect(payments(body).totals.to.sum).toEqual({ amount: 11_950, currency: 'JPY' });
  });

  it('is not complete before both platforms are connected', async () => {
    const { client } = await caller();
    const none = await client.get('/reconciliation');
    expect(none.body.data.complete).toBe(false);
    expect(none.body.data.reasons.map(({ reason, platform }: Body) => [reason, platform])).toEqual([
      ['not_connected', 'platform_a'],
      ['not_connected', 'platform_b'],
    ]);
    await connect(client, 'platform_a');
    const one = await client.get('/reconciliation');
    expect(one.body.data.reasons).toHaveLength(1);
  });

  it('foots for the sandbox, and for each project of it', async () => {
    const { client } = await caller();
    for (const platform of ['platform_a', 'platform_b'] as const) await connect(client, platform);
    const { body } = await client.get('/objects?platform=platform_a&entity_type=project');
    const scopes = ['', ...body.data.map((one: Body) => `?project_id=${one.canonical_id}`)];
    let seen = 0;
    for (const scope of scopes) {
      const statement = await client.get(`/reconciliation${scope}`);
      for (const { totals } of statement.body.data.types) {
        if (totals === null) continue;
        seen += totals.from.records;
        const lines = totals.lines.reduce((sum: number, line: Body) => sum + line.amount.amount, 0);
        expect(totals.from.sum.amount + lines).toBe(totals.to.sum.amount);
      }
    }
    // Each contract, invoice and payment is in the whole and in its project.
    expect(seen).toBe(2 * (13 + 8 + 8));
  });

  it('shows the books as they were', async () => {
    const { client } = await withPayments();
    const before = (await client.get('/reconciliation')).body.data;
    await client.post('/propagate', {
      format: 'platform',
      platform: 'platform_a',
      platform_id: '2',
      entity_type: 'payment',
      data: { amount: '60.00' },
    });
    const after = (await client.get('/reconciliation')).body.data;
    expect(after.digest).not.toBe(before.digest);
    const past = (await client.get(`/reconciliation?as_of=${before.as_of}`)).body.data;
    expect({ ...past, as_of: '' }).toEqual({ ...before, as_of: '' });
    const now = (await client.get(`/reconciliation?as_of=${after.as_of}`)).body.data;
    expect({ ...now, as_of: '' }).toEqual({ ...after, as_of: '' });
  });

  it.each([
    ['entity_type=employee', 'entity_type must be one of'],
    ['currency=usd', 'currency must be an ISO 4217 code'],
    ['platforms=platform_a', 'platforms must be two of'],
    ['platforms=platform_a,platform_a', 'platforms must be two of'],
    ['as_of=yesterday', 'as_of must be an ISO 8601'],
    ['as_of=2999-01-01', 'as_of must not lie in the future'],
    ['as_of=0999-01-01', 'of the years 1000 to 2999'],
    ['through=0000-12-31', 'through must be a day'],
    ['through=2026-02-30', 'through must be a day'],
  ])('refuses %s', async (query, message) => {
    const { client } = await caller();
    const { status, body } = await client.get(`/reconciliation?${query}`);
    expect(status).toBe(400);
    expect(body.error.message).toContain(message);
  });

  it('counts up to any day that a document can have', async () => {
    const { client, customerId } = await caller();
    sources.give(customerId, 'platform_a', [
      record('payment', { id: 1, amount: '100.00', check_number: 'CHK-1', date: '0999-06-01' }),
    ]);
    sources.give(customerId, 'platform_b', [
      record('payment', {
        id: guid(1),
        amount: -100,
        currencyCode: 'USD',
        externalDocumentNumber: 'CHK-1',
        postingDate: '9999-12-31',
      }),
    ]);
    for (const platform of ['platform_a', 'platform_b'] as const) await connect(client, platform);
    for (const through of ['0001-01-02', '0999-06-01', '9999-12-31']) {
      const { status, body } = await client.get(`/reconciliation?through=${through}`);
      expect([status, body.data?.through]).toEqual([200, through]);
      expect((await client.get(`/reconciliation/cases?through=${through}`)).status).toBe(200);
    }
  });

  it('knows no other customer’s project', async () => {
    const { client } = await caller();
    const answer = await client.get('/reconciliation?project_id=proj_00000000000000000000000000000000');
    expect(answer.status).toBe(404);
  });

  describe('as a file', () => {
    const file = async (path: string, key: string) => {
      const response = await fetch(`${service.url}/api/v1${path}`, {
        headers: { Authorization: `Bearer ${key}`, Accept: 'text/csv' },
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      return { response, bytes, text: bytes.toString('utf8') };
    };

    it('opens in a spreadsheet: mark, lines, head, guarded text, numbers', async () => {
      const { key, customerId } = await service.openSession();
      sources.give(customerId, 'platform_a', [
        record('payment', { id: 1, amount: '100.50', check_number: '007' }),
      ]);
      sources.give(customerId, 'platform_b', [
        record('payment', {
          id: guid(5),
          amount: -1000,
          currencyCode: 'JPY',
          externalDocumentNumber: '=1+1',
        }),
      ]);
      const client = api(service.url, key);
      for (const platform of ['platform_a', 'platform_b'] as const) await connect(client, platform);
      const statement = await file('/reconciliation', key);
      expect(statement.response.status).toBe(200);
      expect(statement.response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(statement.response.headers.get('content-disposition')).toMatch(
        /^attachment; filename="reconciliation-\d{4}-\d\d-\d\d\.csv"$/,
      );
      expect([...statement.bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
      expect(statement.text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      expect(statement.text).toMatch(new RegExp(`^customer,${customerId},.+\r$`, 'm'));
      expect(statement.text).toContain(`request,${statement.response.headers.get('x-request-id')}\r\n`);
      expect(statement.text).toContain(
        'payment,total of the first platform,platform_a,1,100.50,USD,totals.from\r\n',
      );
      expect(statement.text).toContain(
        'payment,less: on this platform only,platform_a,1,-100.50,USD,totals.lines.only_on_platform_a\r\n',
      );
      expect(statement.text).toContain(
        'payment,"not in the total, no exchange rate",platform_b,1,1000,JPY,totals.outside\r\n',
      );
      const { body } = await client.get('/reconciliation');
      expect(statement.text).toContain(`digest,${body.data.digest}\r\n`);

      const cases = await file('/reconciliation/cases?kind=only_on&limit=1', key);
      expect(cases.text).toContain(",'007,100.50,USD,");
      expect(cases.text).toContain(",'=1+1,1000,JPY,");
      expect(cases.text).toContain('filter kind,only_on\r\n');
      expect(cases.text).toContain('cases,2\r\n');
    });

    it('has every case, and JSON for errors', async () => {
      const { key, customerId } = await service.openSession();
      const all = Array.from({ length: 1_234 }, (_, at) =>
        record('payment', { id: at + 1, amount: '1.00', check_number: `CHK-${at}` }),
      );
      sources.give(customerId, 'platform_a', all);
      await connect(api(service.url, key), 'platform_a');
      const { text } = await file('/reconciliation/cases', key);
      expect(text.match(/^case_/gm)).toHaveLength(1_234);
      const refused = await file('/reconciliation/cases?kind=none', key);
      expect(refused.response.status).toBe(400);
      expect(JSON.parse(refused.text).error.type).toBe('VALIDATION_ERROR');
    });
  });

  it('of a time at which the first platform was not connected yet is in the currency of the other', async () => {
    const { client, customerId } = await caller();
    const get = async (path: string): Promise<Body> => (await client.get(`/reconciliation${path}`)).body.data;
    sources.give(
      customerId,
      'platform_b',
      [record('payment', { id: guid(1), externalDocumentNumber: 'CHK-1', amount: -30, currencyCode: 'QAR' })],
      { currency: 'QAR' },
    );
    await connect(client, 'platform_b');
    const [before, cases] = [await get(''), await get('/cases')];
    expect(before.currency).toBe('QAR');
    sources.give(customerId, 'platform_a', []);
    await connect(client, 'platform_a');
    expect(await get('')).toMatchObject({ currency: 'USD' });
    expect(await get(`?as_of=${before.as_of}`)).toEqual(before);
    const differences = (found: Body): Body[] => found.map(({ difference }: Body) => difference);
    expect(differences(await get(`/cases?as_of=${before.as_of}`))).toEqual(differences(cases));
  });
});
