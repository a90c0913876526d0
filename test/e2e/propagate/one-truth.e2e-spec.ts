import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@app/mapper';
import { HistoryRetention } from '../../../src/outbox/history-retention';
import type { WriteCommand, WriteOutcome } from '../../../src/platforms/connector';
import { UnitOfWork } from '../../../src/database/transaction/unit-of-work';
import { databaseTime } from '../../../src/database/transaction/database-time';
import { saveRecords } from '../../../src/records/platform-records/platform-records.repository';
import { loadObjects } from '../../../src/records/objects/stored-objects.repository';
import { GivenConnector, GivenRecords, record } from '../../support/platforms/given-records';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { portfolios, type Portfolio, type Portfolios, ON_A, ON_B } from '../../support/customers/portfolio';

jest.setTimeout(60_000);

/** A platform that answers each write as a test says. */
class Answering extends GivenConnector {
  constructor(
    records: ConstructorParameters<typeof GivenConnector>[0],
    private readonly answer: (command: WriteCommand, payload: JsonObject) => WriteOutcome,
  ) {
    super(records);
  }

  override readonly local = {
    lock: () =>
      Promise.resolve({
        apply: (command: WriteCommand): WriteOutcome => {
          const prediction = this.predict(command, undefined);
          return prediction.status === 'applied' ? this.answer(command, prediction.payload) : prediction;
        },
        save: () => undefined,
      }),
  };
}

describe('POST /propagate leaves one truth', () => {
  const given = new GivenRecords();
  let app: RunningApp;
  let all: Portfolios;
  let portfolio: Portfolio;
  beforeAll(async () => {
    app = await startApp({}, [], given);
    all = await portfolios(app);
  });
  beforeEach(async () => {
    portfolio = await all.open();
  });
  afterAll(async () => {
    await all.close();
    await app.close();
  });

  const idOf = async (type: 'payment' | 'invoice', native: string): Promise<string> =>
    (await portfolio.find('platform_a', type, native)).canonical_id;

  describe('where platforms disagree', () => {
    const disagree = () =>
      portfolio.sql(
        `update platform_records set payload = replace(payload::text, '"comment":', '"comment":"theirs","was":')::json
         where customer_id = $1 and platform = 'platform_b' and platform_id = $2`,
        [portfolio.customerId, ON_B],
      );

    it('a present canonical value is written to the platform that has another value, and then to none', async () => {
      await disagree();
      const { data } = await portfolio.find('platform_a', 'payment', ON_A);
      const send = () => portfolio.canonical('payment', data.id, { notes: data.notes, amount: data.amount });
      const first = await send();
      expect(first.body.data).toMatchObject({
        canonical: { updated_fields: [] },
        propagated: {
          platform_a: { status: 'unchanged' },
          platform_b: { status: 'applied', data: { comment: data.notes } },
        },
      });
      expect(first.body.data.propagated.platform_b).not.toHaveProperty('conversion');
      const settled = await portfolio.stored();
      const again = await send();
      expect(again.body.data.propagated).toMatchObject({
        platform_a: { status: 'unchanged' },
        platform_b: { status: 'unchanged' },
      });
      expect(await portfolio.stored()).toEqual(settled);
    });

    it('a present native value is written to the other platform', async () => {
      await disagree();
      const { body } = await portfolio.native('platform_b', 'payment', ON_B, { comment: 'theirs' });
      expect(body.data).toMatchObject({
        canonical: { updated_fields: ['notes'], data: { notes: 'theirs' } },
        propagated: {
          platform_a: { status: 'applied', data: { notes: 'theirs' } },
          platform_b: { status: 'unchanged' },
        },
      });
    });
  });

  describe('of a platform that rejects', () => {
    const rejecting = (platform: 'platform_a' | 'platform_b') =>
      given.use(
        portfolio.customerId,
        platform,
        new Answering([], () => ({ status: 'rejected', reason: 'closed' })),
      );

    it('and decides: nothing changes, and the others are skipped', async () => {
      const before = await portfolio.find('platform_b', 'payment', ON_B);
      rejecting('platform_a');
      const { body } = await portfolio.canonical('payment', before.canonical_id, { notes: 'never' });
      expect(body.data).toMatchObject({
        canonical: { updated_fields: [], data: before.data },
        propagated: {
          platform_a: { status: 'rejected', reason: 'closed' },
          platform_b: { status: 'skipped' },
        },
      });
      expect(await portfolio.find('platform_b', 'payment', ON_B)).toEqual(before);
    });

    it('and would have been the only one to show a value: the value is taken back as well', async () => {
      const before = await portfolio.find('platform_b', 'customer', 'a54b87d9-3385-49ec-b8d7-26aaaedc636b');
      rejecting('platform_a');
      const { body } = await portfolio.canonical('customer', before.canonical_id, { trade_name: 'Never' });
      expect(body.data).toMatchObject({
        canonical: { updated_fields: [], data: before.data },
        propagated: { platform_a: { status: 'rejected' } },
      });
      expect(await portfolio.find('platform_b', 'customer', before.id)).toEqual(before);
    });

    it('second: the applied values stay', async () => {
      rejecting('platform_b');
      const { body } = await portfolio.canonical('payment', await idOf('payment', ON_A), { notes: 'half' });
      expect(body.data).toMatchObject({
        canonical: { updated_fields: ['notes'], data: { notes: 'half' } },
        propagated: { platform_a: { status: 'applied' }, platform_b: { status: 'rejected' } },
      });
    });
  });

  describe('of a record that a platform creates', () => {
    const creating = (change: (payload: JsonObject) => JsonObject) =>
      given.use(
        portfolio.customerId,
        'platform_b',
        new Answering([], (_, payload) => ({ status: 'applied', payload: change(payload) })),
      );
    const held = async () => {
      const rows = await portfolio.sql(
        'select * from platform_records where customer_id = $1 order by 2, 3, 4',
        [portfolio.customerId],
      );
      const { status, body } = await portfolio.creating.native('platform_a', 'payment', '1823391', {
        notes: 'x',
      });
      expect(status).toBe(200);
      expect(body.data.propagated.platform_b).toEqual({ status: 'held', reason: expect.any(String) });
      const after = await portfolio.sql<{ platform: string }>(
        'select * from platform_records where customer_id = $1 order by 2, 3, 4',
        [portfolio.customerId],
      );
      const onB = (list: readonly object[]) =>
        list.filter((row) => Reflect.get(row, 'platform') === 'platform_b');
      expect(onB(after)).toEqual(onB(rows));
    };

    it('without an ID: it is held, nothing is stored, and it is not created again', async () => {
      creating(({ id: _id, ...rest }) => rest);
      await held();
      const { body } = await portfolio.creating.native('platform_a', 'payment', '1823391', { notes: 'y' });
      expect(body.data.propagated.platform_b).toMatchObject({
        status: 'skipped',
        reason: expect.any(String),
      });
    });

    it('under the ID of another record: it is held, and the other record stays unchanged', async () => {
      creating((payload) => ({ ...payload, id: ON_B }));
      await held();
    });
  });

  it('of a record of another object: it is not stored twice', async () => {
    const [own, others] = [await idOf('payment', '1823391'), await idOf('payment', ON_A)];
    const before = await portfolio.stored();
    await app.app.get(UnitOfWork, { strict: false }).run(async (store) => {
      const [object] = await loadObjects(store.forCustomer(portfolio.customerId), [others]);
      const copies = object?.copies ?? [];
      expect(copies).toHaveLength(2);
      const cause = { id: randomUUID(), at: await databaseTime(store) };
      await saveRecords(
        store.forCustomer(portfolio.customerId),
        { id: own, entityType: 'payment' },
        copies,
        cause,
      );
    });
    expect(await portfolio.stored()).toEqual(before);
  });

  describe('of money', () => {
    it('that is written to a platform that lacks the record: converted once, from what was written', async () => {
      const alone = '75508914-6e39-423c-95ba-296457268799';
      const { canonical_id: id } = await portfolio.find('platform_b', 'payment', alone);
      const { body } = await portfolio.creating.canonical('payment', id, {
        amount: { amount: 10_001, currency: 'USD' },
      });
      expect(body.data.propagated.platform_a).toMatchObject({
        status: 'applied',
        data: { amount: '100.01' },
      });
      expect(body.data.propagated.platform_a).not.toHaveProperty('conversion');
    });

    it('in a third currency: what another platform made of it is not converted once more', async () => {
      // An invoice in riyals of Qatar that only platform_b has.
      const { canonical_id: id } = await portfolio.find(
        'platform_b',
        'invoice',
        'e385ddc8-5cdc-4711-bdc0-7c9b6ee5873c',
      );
      const { body } = await portfolio.creating.canonical('invoice', id, {
        amount: { amount: 1_000_03, currency: 'SAR' },
      });
      expect(body).toMatchObject({ data: expect.anything() });
      // 970.70 QAR would be 266.68 USD.
      expect(body.data.propagated).toMatchObject({
        platform_a: {
          status: 'applied',
          data: { summary: { current_payment_due: '266.67' } },
          conversion: { from: 'SAR', to: 'USD' },
        },
        platform_b: {
          data: { totalAmountIncludingTax: 970.7, currencyCode: 'QAR' },
          conversion: { from: 'SAR', to: 'QAR' },
        },
      });
    });

    it('in several amounts: every conversion is reported and kept', async () => {
      const { canonical_id: id } = await portfolio.find(
        'platform_b',
        'customer',
        '70af7cef-d067-46a9-bf02-b175244ccb31',
      );
      const { body } = await portfolio.canonical('customer', id, {
        credit_limit: { amount: 5_000, currency: 'USD' },
      });
      const entry = body.data.propagated.platform_b;
      expect(entry.conversions).toEqual([{ field: 'credit_limit', ...entry.conversion }]);
      const [account] = await portfolio.accounts();
      expect(account.outcome.platform_b.conversions).toEqual(entry.conversions);
    });

    it('in two amounts of two currencies: each has its own conversion', async () => {
      const own = await all.connect([]);
      given.give(own.customerId, 'platform_b', [
        record('contract', {
          id: 'c1',
          externalDocumentNumber: 'C1',
          currencyCode: 'QAR',
          totalAmountExcludingTax: 100,
          discountAmount: 10,
        }),
      ]);
      await own.connect('platform_b');
      const [contract] = await own.list('platform_b', 'contract');
      const { body } = await own.canonical('contract', contract?.canonical_id ?? '', {
        amount: { amount: 100_00, currency: 'USD' },
        discount_amount: { amount: 36_73, currency: 'AED' },
      });
      expect(body).toMatchObject({ data: expect.anything() });
      const entry = body.data.propagated.platform_b;
      expect(entry.conversions).toMatchObject([
        { field: 'amount', from: 'USD', to: 'QAR', rate: '3.64' },
        { field: 'discount_amount', from: 'AED', to: 'QAR', via: 'USD' },
      ]);
      expect(entry.conversion).toMatchObject({ from: 'USD', to: 'QAR' });
      expect(entry.data).toMatchObject({ totalAmountExcludingTax: 364, discountAmount: 36.4 });
      const [account] = await own.accounts();
      expect(account.outcome.platform_b.conversions).toEqual(entry.conversions);
    });

    it('of a payment whose contract has its currency from its project', async () => {
      const own = await all.connect([]);
      given.give(own.customerId, 'platform_a', [
        record('project', {
          id: 1,
          name: 'Tower',
          project_number: 'P1',
          currency_configuration: { currency_iso_code: 'QAR' },
        }),
        record(
          'contract',
          { id: 2, number: 'C1', title: 'C', grand_total: '10.00', project: { id: 1 } },
          'WorkOrderContract',
        ),
        record('payment', { id: 3, amount: '5.00', check_number: 'K', contract_id: 2 }),
      ]);
      await own.connect('platform_a');
      const [payment] = await own.list('platform_a', 'payment');
      expect(payment?.data.amount).toEqual({ amount: 500, currency: 'QAR' });
    });

    it('of a payment that is created under such a contract', async () => {
      const own = await all.connect([]);
      given.give(own.customerId, 'platform_a', [
        record('project', {
          id: 1,
          name: 'Tower',
          project_number: 'P1',
          currency_configuration: { currency_iso_code: 'QAR' },
        }),
        record(
          'contract',
          { id: 2, number: 'C1', title: 'C', grand_total: '10.00', project: { id: 1 } },
          'WorkOrderContract',
        ),
        // Of another project, which names no currency.
        record('project', { id: 5, name: 'Fit-out', project_number: 'P5' }),
        record('invoice', { id: 4, invoice_number: 'I1', commitment_id: 2, project_id: 5 }),
      ]);
      given.give(own.customerId, 'platform_b', [
        record('invoice', { id: 'i1', externalDocumentNumber: 'I1', currencyCode: 'QAR' }),
        record('payment', {
          id: 'p1',
          externalDocumentNumber: 'K',
          amount: -5,
          currencyCode: 'QAR',
          appliesToInvoiceId: 'i1',
        }),
      ]);
      await own.connect('platform_a');
      await own.connect('platform_b');
      const { body } = await own.creating.native('platform_b', 'payment', 'p1', { comment: 'now on both' });
      expect(body.data.propagated.platform_a).toMatchObject({
        status: 'applied',
        data: { amount: '5.00', contract_id: 2 },
      });
      expect(body.data.propagated.platform_a).not.toHaveProperty('conversion');
      const listed = await own.find('platform_a', 'payment', body.data.canonical.id);
      expect(listed.data.amount).toEqual({ amount: 500, currency: 'QAR' });
    });
  });

  describe('of the number of a payment’s invoice', () => {
    it('is the invoice’s own: a rename needs no write to its payments', async () => {
      const { status } = await portfolio.native('platform_a', 'invoice', '10061', {
        invoice_number: 'INV-NEW',
      });
      expect(status).toBe(200);
      const { data, platform_data: native } = await portfolio.find('platform_a', 'payment', ON_A);
      expect(data.invoice_number).toBe('INV-NEW');
      expect(native.invoice_number).toBe('INV-2025-0061');
    });

    it.each(['canonical', 'native'])(
      'that names another invoice puts the payment on it (%s)',
      async (format) => {
        const invoice = await idOf('invoice', '10074');
        const data = { invoice_number: 'inv-2026-0074' };
        const { status, body } = await (format === 'canonical'
          ? portfolio.canonical('payment', await idOf('payment', '1823634'), data)
          : portfolio.native('platform_a', 'payment', '1823634', data));
        expect(status).toBe(200);
        expect(body.data.canonical.data).toMatchObject({
          invoice_id: invoice,
          invoice_number: 'INV-2026-0074',
        });
        expect(body.data.propagated).toMatchObject({
          platform_a: { data: { requisition_id: 10074 } },
          platform_b: { data: { appliesToInvoiceId: '9ad62d2f-2087-4b38-91bf-1e6facf435be' } },
        });
        const listed = await portfolio.find('platform_b', 'payment', body.data.canonical.id);
        expect(listed.data).toEqual(body.data.canonical.data);
      },
    );

    it.each([['INV-NOBODY'], [null]])('that would be lost is refused: %j', async (number) => {
      const before = await portfolio.stored();
      const answer = await portfolio.canonical('payment', await idOf('payment', ON_A), {
        invoice_number: number,
      });
      expectError(answer, 422, 'TRANSFORM_ERROR', /^data\.invoice_number: /);
      expect(await portfolio.stored()).toEqual(before);
    });

    it('agrees after a rename and a change of the invoice at once', async () => {
      const payment = await idOf('payment', '1823634');
      const invoice = await idOf('invoice', '10074');
      const answers = await Promise.all([
        portfolio.canonical('invoice', invoice, { number: 'INV-RENAMED' }),
        portfolio.canonical('payment', payment, { invoice_id: invoice }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect((await portfolio.find('platform_a', 'payment', payment)).data).toMatchObject({
        invoice_id: invoice,
        invoice_number: 'INV-RENAMED',
      });
    });
  });

  describe('of hostile bodies', () => {
    const members = (count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`member_${at}`, at]));

    it('takes members of no meaning, each copied once', async () => {
      const { status, body } = await portfolio.native('platform_a', 'payment', ON_A, {
        ...members(4_000),
        custom: members(4_000),
      });
      expect(status).toBe(200);
      expect(body.data.propagated.platform_a.data.custom).toEqual(members(4_000));
    });

    it('refuses more than it would look at, also for an ID that nobody has', async () => {
      const data = { ...members(9_000), custom: members(9_000) };
      const answer = await portfolio.native('platform_a', 'payment', 'nobody', data);
      expectError(answer, 400, 'VALIDATION_ERROR', /sets more/);
    });

    it('refuses a record of more than 256 KB, whether at once or in steps', async () => {
      const text = 'x'.repeat(200_000);
      expect((await portfolio.native('platform_a', 'payment', ON_A, { one: text })).status).toBe(200);
      const before = await portfolio.stored();
      for (const data of [{ two: text }, { two: text + text }]) {
        const answer = await portfolio.native('platform_a', 'payment', ON_A, data);
        expectError(answer, 422, 'TRANSFORM_ERROR', /262144/);
      }
      expect(await portfolio.stored()).toEqual(before);
    });
  });

  it('keeps the history of a change for 400 days', async () => {
    await portfolio.native('platform_a', 'payment', ON_A, { notes: 'old' });
    await portfolio.native('platform_a', 'payment', ON_A, { notes: 'new' });
    await portfolio.sql(
      `update propagations set created_at = now() - interval '401 days', decided_at = now() - interval '401 days'
       where customer_id = $1 and id = (select id from propagations where customer_id = $1 order by created_at limit 1)`,
      [portfolio.customerId],
    );
    await app.app.get(HistoryRetention, { strict: false }).purge();
    expect(await portfolio.accounts()).toHaveLength(1);
  });
});
