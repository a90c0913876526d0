import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { startPlatformB, type RunningPlatformB } from '@app/simulators';
import type { SimulatedRequest } from '../../../tools/simulators/src/server/exchange';
import { CredentialsService } from '../../../src/platforms/credentials/credentials.service';
import { Secrets } from '../../../src/platforms/credentials/secrets';
import { RateLimiter } from '../../../src/platforms/live/pacing/rate-limiter';
import { Dispatcher } from '../../../src/outbox/dispatch/dispatcher';
import { SyncService } from '../../../src/sync/sync.service';
import { startApp, type RunningApp } from '../../support/app/app';
import { shortenWaits, withoutRateLimits } from '../../support/app/short-waits';
import { limitInMemory } from '../../support/live/limits-in-memory';
import { settingsOf, textOf } from '../../support/live/live-platform-b';
import { copyPortfolio, portfolioOf, type Listed, type Portfolio } from '../../support/customers/portfolio';
import { sentFields } from '../../support/live/sent-fields';
import { masterKey } from '../credentials/master-keys';

jest.setTimeout(120_000);

type Body = ReturnType<typeof JSON.parse>;

const usd = (amount: number) => ({ amount, currency: 'USD' });

describe('a live platform_b whose page of payments has no currency', () => {
  withoutRateLimits();
  let service: RunningApp;
  let database: Client;
  let erp: RunningPlatformB;
  /** Has what every customer has of platform_a, whose sandbox is the same for all. */
  let original: Portfolio;
  let customer: Portfolio;
  let requests: SimulatedRequest[];
  beforeAll(async () => {
    service = await startApp({ credentialsKeys: [masterKey('first')] });
    shortenWaits(service.app);
    limitInMemory(service.app.get(RateLimiter, { strict: false }));
    database = new Client({ connectionString: service.databaseUrl });
    await database.connect();
    original = portfolioOf(service.url, await service.issueKey('live'), database);
    await original.connect('platform_a');
  });
  afterAll(async () => {
    await database.end();
    await service.close();
  });
  beforeEach(async () => {
    erp = await startPlatformB();
    requests = [];
    for (const method of ['POST', 'PATCH']) {
      const run = (request: SimulatedRequest) => void requests.push(request);
      erp.control.faults.add({
        kind: 'run',
        run,
        times: 0,
        match: { method, path: '/companies\\(|\\$batch' },
      });
    }
    customer = await connected(false);
  });
  afterEach(() => erp.close());

  async function connected(customPayments: boolean): Promise<Portfolio> {
    const portfolio = portfolioOf(service.url, await service.issueKey('live'), database);
    const { settings, secret } = settingsOf(erp, { customPayments });
    await service.app
      .get(CredentialsService, { strict: false })
      .set(portfolio.customerId, 'platform_b', settings, new Secrets({ client_secret: secret }));
    await copyPortfolio(database, original.customerId, portfolio.customerId);
    await portfolio.connect('platform_b');
    return portfolio;
  }

  const readWholly = (): Promise<unknown> =>
    service.app
      .get(SyncService, { strict: false })
      .complete(
        { customerId: customer.customerId, platform: 'platform_b' },
        { whole: true },
        () => undefined,
      );

  async function propagated(data: object, target: Listed): Promise<Body> {
    const answer = await customer.canonical('payment', target.canonical_id, data);
    expect(answer.status).toBe(200);
    for (;;) {
      service.app.get(Dispatcher, { strict: false }).wake();
      const { body } = await customer.client.get(`/propagations/${answer.body.data.propagation_id}`);
      const outcomes = Object.values<{ status: string }>(body.data.propagated);
      if (outcomes.every(({ status }) => !['pending', 'uncertain'].includes(status))) return body.data;
      await sleep(10);
    }
  }

  /** The currency that the ERP itself keeps for each payment, by the payment's ID. */
  const currencies = (): ReadonlyMap<string, string> =>
    new Map(
      erp.control
        .records('customerPayments')
        .map((payment) => [textOf(payment, 'id'), textOf(payment, 'currencyCode') || 'QAR']),
    );

  async function paymentIn(currency: string): Promise<Listed> {
    const kept = currencies();
    const found = (await customer.list('platform_b', 'payment')).find(
      ({ id, mappings }) => kept.get(id) === currency && mappings.length === 2,
    );
    if (found === undefined) throw new Error(`No payment on both platforms is in ${currency}`);
    return found;
  }

  /** What was written to the ERP, field by field. */
  const writes = (): Body =>
    Object.fromEntries(sentFields('platform_b', requests).map(({ name, value }) => [name, value]));

  async function onB({ canonical_id: id }: Listed, query = ''): Promise<Body> {
    const { status, body } = await customer.client.get(`/objects/${id}${query}`);
    expect(status).toBe(200);
    return body.data.records.find(({ platform }: Body) => platform === 'platform_b');
  }

  it('shows what it sent as its data, and amounts in the currency of the invoice, else of the customer', async () => {
    const withPage = await connected(true);
    const expected = new Map(
      (await withPage.list('platform_b', 'payment')).map(({ id, data }) => [id, data.amount]),
    );
    const payments = await customer.list('platform_b', 'payment');
    expect(new Map(payments.map(({ id, data }) => [id, data.amount]))).toEqual(expected);
    expect(new Set(currencies().values()).size).toBeGreaterThan(1);
    for (const payment of payments) {
      expect(payment.platform_data).not.toHaveProperty('currencyCode');
      expect((await onB(payment)).platform_data).toEqual(payment.platform_data);
      expect(payment.data.provider_metadata.platform_b.fields).not.toHaveProperty('currencyCode');
    }
    const alone = portfolioOf(service.url, await service.issueKey('live'), database);
    const { settings, secret } = settingsOf(erp, { customPayments: false });
    await service.app
      .get(CredentialsService, { strict: false })
      .set(alone.customerId, 'platform_b', settings, new Secrets({ client_secret: secret }));
    await alone.connect('platform_b');
    for (const { id, data } of await alone.list('platform_b', 'payment'))
      expect(data.amount.currency).toBe(currencies().get(id));
  });

  it('adds up to the same statement as with a page that has one', async () => {
    const withPage = await connected(true);
    const statement = async ({ client }: Portfolio): Promise<Body> =>
      (await client.get('/reconciliation?entity_type=payment&refresh=true')).body.data ??
      (await client.get('/reconciliation?entity_type=payment')).body.data;
    const [own, other] = [await statement(customer), await statement(withPage)];
    expect(own.types[0].totals.to.sum.amount).toBeGreaterThan(0);
    expect(own.types).toEqual(other.types);
  });

  it.each(['QAR', 'AED'])(
    'takes an amount in the currency of a payment (%s), and no currency',
    async (currency) => {
      const payment = await paymentIn(currency);
      const data = await propagated({ amount: usd(100_000) }, payment);
      const amount = currency === 'AED' ? -3672.5 : -3640;
      expect(data.propagated.platform_b).toMatchObject({ status: 'applied', data: { amount } });
      expect(data.propagated.platform_b.data).not.toHaveProperty('currencyCode');
      expect(writes()).toEqual({ amount });
      expect((await onB(payment)).platform_data).not.toHaveProperty('currencyCode');
      const { data: now } = await customer.find('platform_b', 'payment', payment.id);
      expect(now.amount).toEqual(usd(100_000));
      const { body } = await customer.client.get(`/objects/${payment.canonical_id}`);
      expect(body.data.disagreements ?? []).toEqual([]);
      await readWholly();
      expect((await customer.find('platform_b', 'payment', payment.id)).data.amount).toEqual(usd(100_000));
    },
  );

  it('takes notes alone', async () => {
    const payment = await paymentIn('AED');
    const data = await propagated({ notes: 'Agreed on site' }, payment);
    expect(data.propagated.platform_b).toMatchObject({
      status: 'applied',
      data: { comment: 'Agreed on site' },
    });
    expect(writes()).toEqual({ comment: 'Agreed on site' });
    expect(data.propagated.platform_b.data).not.toHaveProperty('currencyCode');
  });

  it('takes the currency that a payment has as said, and refuses another one', async () => {
    const payment = await paymentIn('AED');
    const dry = async (currencyCode: string): Promise<Body> =>
      (
        await customer.client.post('/propagate', {
          format: 'platform',
          platform: 'platform_b',
          platform_id: payment.id,
          entity_type: 'payment',
          data: { currencyCode, comment: 'x' },
          dry_run: true,
        })
      ).body.data.propagated.platform_b;
    expect(await dry('QAR')).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('no currency') as string,
    });
    expect(await dry('AED')).toMatchObject({ status: 'pending', changes: [{ path: 'comment' }] });
    const { body } = await customer.native('platform_b', 'payment', payment.id, {
      currencyCode: 'AED',
      comment: 'x',
    });
    expect(body.data.propagated.platform_b.data).not.toHaveProperty('currencyCode');
    expect(writes()).toEqual({ comment: 'x' });
  });

  it('refuses an amount that was computed in another currency than the payment’s present one', async () => {
    const payment = await paymentIn('AED');
    erp.control.edit('update', {
      table: 'salesInvoices',
      id: payment.platform_data.appliesToInvoiceId,
      fields: { currencyCode: 'SAR' },
    });
    const data = await propagated({ amount: usd(100_000) }, payment);
    expect(data.propagated.platform_b).toMatchObject({
      status: 'rejected',
      reason: expect.stringContaining('no currency') as string,
    });
    expect(writes()).toEqual({});
  });

  it('has its payments follow the invoice, now and as of then', async () => {
    const payment = await paymentIn('AED');
    const before = new Date().toISOString();
    const onlyB = async (query = ''): Promise<Body> => {
      const { body } = await customer.client.get(`/objects?platform=platform_b&entity_type=payment${query}`);
      return body.data.find(({ id }: Body) => id === payment.id);
    };
    await customer.sql(
      'delete from platform_records where customer_id = $1 and platform = $2 and entity_type = $3',
      [customer.customerId, 'platform_a', 'payment'],
    );
    const { amount } = (await onlyB()).data.amount;
    erp.control.edit('update', {
      table: 'salesInvoices',
      id: payment.platform_data.appliesToInvoiceId,
      fields: { currencyCode: 'SAR' },
    });
    await customer.connect('platform_b');
    expect((await onlyB()).data.amount).toEqual({ amount, currency: 'SAR' });
    expect((await onlyB(`&modified_after=${before}`)).data.amount).toEqual({ amount, currency: 'SAR' });
    const { body: then } = await customer.client.get(`/objects/${payment.canonical_id}?as_of=${before}`);
    expect(then.data.data.amount).toEqual({ amount, currency: 'AED' });
  });

  it('loses, with the next whole reading, the currency that a release before has added', async () => {
    await customer.sql(
      `update platform_records set digest = 'before',
         payload = (payload::jsonb || jsonb_build_object('currencyCode', $3::text))::json
       where customer_id = $1 and entity_type = $2 and platform = 'platform_b'`,
      [customer.customerId, 'payment', 'AED'],
    );
    const payment = await paymentIn('AED');
    expect(payment.platform_data).toHaveProperty('currencyCode', 'AED');
    const data = await propagated({ amount: usd(100_000) }, payment);
    expect(data.propagated.platform_b).toMatchObject({ status: 'applied', data: { amount: -3672.5 } });
    await readWholly();
    for (const { platform_data } of await customer.list('platform_b', 'payment'))
      expect(platform_data).not.toHaveProperty('currencyCode');
    expect((await customer.find('platform_b', 'payment', payment.id)).data.amount).toEqual(usd(100_000));
  });
});
