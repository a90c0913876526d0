import { outputTo } from '../../../src/cli/output';
import { runCli } from '../../../src/cli/run';
import type { RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';
import { expectToFoot } from '../../support/customers/footing';
import { platforms, type Platform, type Portfolio, type Portfolios } from '../../support/customers/portfolio';
import { portfolioForEachTest } from '../../support/customers/portfolio-for-each-test';

jest.setTimeout(30_000);

const money = (amount: number, currency = 'USD') => ({ amount, currency });
const peg = (to: string, rate: string) => ({ from: 'USD', to, rate, source: 'peg', rounding: 'half_even' });

const inQatar = { a: '1823456', b: 'a34e74db-53c7-4368-8fe7-bb87c83c7902' };
const inDubai = { a: '1823517', b: '77435fa2-f934-4959-9081-b934ab4474e2' };
const inRiyadh = { a: '1823588', b: '2a6fc912-7e74-4dd3-a34c-c17e079306ab' };

describe('POST /propagate, amounts', () => {
  let app: RunningApp;
  let all: Portfolios;
  let portfolio: Portfolio;

  portfolioForEachTest((given) => ({ app, all, portfolio } = given));
  // Amounts are written here whatever else was billed or paid.
  beforeEach(() => portfolio.setRules('off'));

  async function payment({ a }: { a: string }): Promise<string> {
    return (await portfolio.find('platform_a', 'payment', a)).canonical_id;
  }

  /** Sends a canonical amount and gives what became of it. */
  async function pay(twins: { a: string }, amount: object, context?: object) {
    const { status, body } = await portfolio.canonical('payment', await payment(twins), { amount }, context);
    expect(body).toMatchObject({ data: expect.anything() });
    expect(status).toBe(200);
    const { canonical, propagated } = body.data;
    return {
      canonical: canonical.data.amount,
      updated: canonical.updated_fields,
      a: propagated.platform_a.data.amount,
      b: propagated.platform_b.data.amount,
      conversions: {
        a: propagated.platform_a.conversion,
        b: propagated.platform_b.conversion,
      },
    };
  }

  describe('at the pegs', () => {
    it.each([
      ['QAR', inQatar, 1_000_000_01, '1000000.01', -3640000.04, '3.64'],
      ['AED', inDubai, 1_000_000_01, '1000000.01', -3672500.04, '3.6725'],
      ['SAR', inRiyadh, 1_000_000_01, '1000000.01', -3750000.04, '3.75'],
      ['QAR', inQatar, 0, '0.00', 0, '3.64'],
      ['QAR', inQatar, 1, '0.01', -0.04, '3.64'],
      ['AED', inDubai, -100_00, '-100.00', 367.25, '3.6725'],
    ])('reaches a record in %s in its own currency', async (currency, twins, amount, onA, onB, rate) => {
      expect(await pay(twins, money(amount))).toEqual({
        canonical: money(amount),
        updated: ['amount'],
        a: onA,
        b: onB,
        conversions: { a: undefined, b: peg(currency, rate) },
      });
      const listed = await portfolio.find('platform_b', 'payment', twins.b);
      expect(listed.data.amount).toEqual(money(amount));
      expect(listed.platform_data.currencyCode).toBe(currency);
    });

    it.each([
      [2, -0.08],
      [6, -0.22],
      [10, -0.38],
      [14, -0.52],
      [-14, 0.52],
    ])('rounds once, half to even: %d cents are %d SAR', async (cents, sar) => {
      expect((await pay(inRiyadh, money(cents))).b).toBe(sar);
    });

    it('inverts the peg for a change made in the other currency, and keeps what was written', async () => {
      const { body } = await portfolio.native('platform_b', 'payment', inQatar.b, { amount: -1000.01 });
      expect(body.data).toMatchObject({
        canonical: { updated_fields: ['amount'], data: { amount: money(27473) } },
        propagated: {
          platform_a: {
            data: { amount: '274.73' },
            conversion: {
              from: 'QAR',
              to: 'USD',
              rate: '3.64',
              source: 'peg',
              inverted: true,
              rounding: 'half_even',
            },
          },
          platform_b: { data: { amount: -1000.01, currencyCode: 'QAR' } },
        },
      });
      expect(body.data.propagated.platform_b).not.toHaveProperty('conversion');

      // 274.73 USD would be 1000.02 QAR: nothing may write the amount back.
      await portfolio.native('platform_a', 'payment', inQatar.a, { notes: 'later' });
      await portfolio.canonical('payment', await payment(inQatar), { amount: money(27473) });
      expect((await portfolio.find('platform_b', 'payment', inQatar.b)).platform_data.amount).toBe(-1000.01);
    });

    it('crosses two pegs through the dollar', async () => {
      expect(await pay(inQatar, money(100_00, 'AED'))).toEqual({
        canonical: money(27_23),
        updated: ['amount'],
        a: '27.23',
        b: -99.12,
        conversions: {
          a: {
            from: 'AED',
            to: 'USD',
            rate: '3.6725',
            source: 'peg',
            inverted: true,
            rounding: 'half_even',
          },
          b: {
            from: 'AED',
            to: 'QAR',
            rate: '3.64/3.6725',
            source: 'peg',
            via: 'USD',
            rounding: 'half_even',
          },
        },
      });
    });

    it('writes an amount in a record’s own currency as it was given', async () => {
      const written = await pay(inQatar, money(1000_01, 'QAR'));
      expect(written).toMatchObject({ canonical: money(27473), a: '274.73', b: -1000.01 });
      expect(written.conversions.b).toBeUndefined();
    });

    it('finds nothing changed where the amount is the same at the rate', async () => {
      await portfolio.native('platform_b', 'payment', inQatar.b, { amount: -1000.01 });
      const before = await portfolio.stored();
      expect(await pay(inQatar, money(1000_01, 'QAR'))).toMatchObject({ updated: [], b: -1000.01 });
      expect(await portfolio.stored()).toEqual(before);
    });

    it('takes another currency for a record that names its own', async () => {
      const { body } = await portfolio.native('platform_b', 'payment', inQatar.b, {
        amount: -100,
        currencyCode: 'AED',
      });
      expect(body.data).toMatchObject({
        canonical: { data: { amount: money(27_23) } },
        propagated: {
          platform_a: { data: { amount: '27.23' }, conversion: { from: 'AED', to: 'USD' } },
          platform_b: { data: { amount: -100, currencyCode: 'AED' } },
        },
      });
      expect(await pay(inQatar, money(50_00))).toMatchObject({
        b: -183.62,
        conversions: { b: peg('AED', '3.6725') },
      });
    });

    it('keeps amounts of customers in the local currency of the company', async () => {
      const { canonical_id: id } = await portfolio.find(
        'platform_b',
        'customer',
        '70af7cef-d067-46a9-bf02-b175244ccb31',
      );
      const { body } = await portfolio.canonical('customer', id, { credit_limit: money(1000_00) });
      expect(body.data.propagated.platform_b).toMatchObject({
        data: { creditLimit: 3640, currencyCode: 'AED' },
        conversion: peg('QAR', '3.64'),
      });
      expect(body.data.canonical.data.credit_limit).toEqual(money(3640_00, 'QAR'));
    });
  });

  describe('at other rates', () => {
    const rate = (from: string, to: string, value: string) => ({
      exchangeRate: { from, to, rate: value },
    });

    async function cli(...args: string[]): Promise<void> {
      let err = '';
      const output = outputTo(
        () => undefined,
        (text) => (err += text),
      );
      const source = { DATABASE_URL: app.databaseUrl, LOG_LEVEL: 'silent' };
      expect({ code: await runCli(args, source, output), err }).toMatchObject({ code: 0 });
    }

    it('takes the request’s before the customer’s, and that before the peg', async () => {
      await cli(
        'rates',
        'set',
        '--customer',
        portfolio.customerId,
        '--from',
        'USD',
        '--to',
        'QAR',
        '--rate',
        '3.65',
      );
      expect(await pay(inQatar, money(100_00), rate('USD', 'QAR', '3.70'))).toMatchObject({
        b: -370,
        conversions: { b: { rate: '3.70', source: 'request' } },
      });
      expect(await pay(inQatar, money(101_00))).toMatchObject({
        b: -368.65,
        conversions: { b: { rate: '3.65', source: 'customer' } },
      });
      await portfolio.sql('delete from exchange_rates where customer_id = $1', [portfolio.customerId]);
      expect(await pay(inQatar, money(102_00))).toMatchObject({
        b: -371.28,
        conversions: { b: peg('QAR', '3.64') },
      });
    });

    it('does not take another customer’s rate', async () => {
      const other = await all.open();
      await cli(
        'rates',
        'set',
        '--customer',
        other.customerId,
        '--from',
        'USD',
        '--to',
        'QAR',
        '--rate',
        '9',
      );
      expect((await pay(inQatar, money(100_00))).conversions.b).toEqual(peg('QAR', '3.64'));
    });

    it('turns a quote of the opposite pair round', async () => {
      expect(await pay(inQatar, money(100_00), rate('QAR', 'USD', '0.28'))).toMatchObject({
        b: -357.14,
        conversions: {
          b: {
            from: 'USD',
            to: 'QAR',
            rate: '0.28',
            source: 'request',
            inverted: true,
            rounding: 'half_even',
          },
        },
      });
    });

    it('leaves a quote of another pair alone', async () => {
      const written = await pay(inQatar, money(100_00), rate('EUR', 'USD', '1.1'));
      expect(written.conversions.b).toEqual(peg('QAR', '3.64'));
    });

    it('minds the decimals of either currency', async () => {
      const alone = await all.open(['platform_a']);
      const { canonical_id: id } = await alone.find('platform_a', 'payment', inQatar.a);
      const yen = await alone.canonical(
        'payment',
        id,
        { amount: money(15000, 'JPY') },
        rate('JPY', 'USD', '0.0067'),
      );
      expect(yen.body.data.propagated.platform_a).toMatchObject({
        data: { amount: '100.50' },
        conversion: { from: 'JPY', to: 'USD', rate: '0.0067', source: 'request', rounding: 'half_even' },
      });
      const dinars = await alone.canonical(
        'payment',
        id,
        { amount: money(1700125, 'KWD') },
        rate('KWD', 'USD', '3.25'),
      );
      expect(dinars.body.data.canonical.data.amount).toEqual(money(552541));
    });

    it('keeps an account of the conversion as it was reported', async () => {
      const { conversions } = await pay(inQatar, money(100_00), rate('QAR', 'USD', '0.28'));
      const [account] = await portfolio.accounts();
      expect(account.outcome.platform_b.conversion).toEqual(conversions.b);
      expect(account.outcome.platform_a).not.toHaveProperty('conversion');
    });
  });

  describe('422', () => {
    const refused = async (send: () => ReturnType<Portfolio['native']>, message: RegExp): Promise<void> => {
      const before = await portfolio.stored();
      expectError(await send(), 422, 'TRANSFORM_ERROR', message);
      expect(await portfolio.stored()).toEqual(before);
    };

    it('without a rate, naming the pair', async () => {
      const id = await payment(inQatar);
      await refused(
        () => portfolio.canonical('payment', id, { amount: money(1, 'EUR'), notes: 'x' }),
        /data\.amount.*EUR.*USD/,
      );
      // One rate is not enough where two platforms want two currencies.
      await refused(
        () =>
          portfolio.canonical(
            'payment',
            id,
            { amount: money(1000, 'EUR'), notes: 'x' },
            { exchangeRate: { from: 'EUR', to: 'USD', rate: '1.1' } },
          ),
        /data\.amount.*EUR.*QAR/,
      );
      await refused(
        () => portfolio.native('platform_b', 'payment', inQatar.b, { amount: -5, currencyCode: 'EUR' }),
        /data\.amount.*EUR.*USD/,
      );
    });

    it.each([
      [{ from: 'USD', to: 'QAR', rate: 3.64 }, /context\.exchangeRate\.rate/],
      [{ from: 'USD', to: 'QAR', rate: '0' }, /context\.exchangeRate\.rate/],
      [{ from: 'USD', to: 'QAR', rate: '-3.64' }, /context\.exchangeRate\.rate/],
      [{ from: 'USD', to: 'QAR', rate: '3,64' }, /context\.exchangeRate\.rate/],
      [{ from: 'USD', to: 'QAR', rate: '3e1' }, /context\.exchangeRate\.rate/],
      [{ from: 'USD', to: 'QAR' }, /context\.exchangeRate\.rate/],
      [{ from: 'USD', to: 'USD', rate: '1' }, /context\.exchangeRate\.to/],
      [{ from: 'DOLLAR', to: 'QAR', rate: '1' }, /context\.exchangeRate\.from/],
      [{ from: 'usd', to: 'QAR', rate: '1' }, /context\.exchangeRate\.from/],
      ['3.64', /context\.exchangeRate/],
      [[], /context\.exchangeRate/],
    ])('for the exchange rate %j', async (exchangeRate, message) => {
      await refused(
        () => portfolio.native('platform_a', 'payment', inQatar.a, { notes: 'x' }, { exchangeRate }),
        message,
      );
    });

    it.each([
      ['1.234', /^data\.amount: "1\.234" has more decimals than USD allows$/],
      ['1e3', /^data\.amount: .*"1e3"/],
      ['1,000.00', /^data\.amount: .*"1,000\.00"/],
      ['', /^data\.amount: /],
      ['abc', /^data\.amount: /],
      [' 5', /^data\.amount: /],
      ['+5', /^data\.amount: /],
      ['90071992547409.92', /^data\.amount: /],
      [1000, /^data\.amount: /],
      [true, /^data\.amount: /],
      [{}, /^data\.amount: /],
      [['1.00'], /^data\.amount: /],
      [null, /^data\.amount: /],
    ])('for the amount %j on platform_a', async (amount, message) => {
      await refused(
        () => portfolio.native('platform_a', 'payment', inQatar.a, { amount, notes: 'x' }),
        message,
      );
    });

    it.each([[-1.234], ['-5.00'], [-90071992547409.92], [-1234567890123456], [true], [[]], [{}]])(
      'for the amount %j on platform_b',
      async (amount) => {
        await refused(
          () => portfolio.native('platform_b', 'payment', inQatar.b, { amount, comment: 'x' }),
          /^data\.amount: /,
        );
      },
    );

    it.each([
      [{ amount: 1.5, currency: 'USD' }],
      [{ amount: '100', currency: 'USD' }],
      [{ amount: 100, currency: 'XXX' }],
      [{ amount: 100, currency: 'usd' }],
      [{ amount: 9007199254740992, currency: 'USD' }],
      [{ amount: 100, currency: 'USD', cents: 1 }],
      [100],
      ['1.00'],
      [[]],
      [null],
    ])('for the canonical amount %j', async (amount) => {
      const id = await payment(inQatar);
      await refused(() => portfolio.canonical('payment', id, { amount, notes: 'x' }), /^data\.amount: /);
    });

    it('for an amount that platform_b’s numbers do not carry, or that is too large there', async () => {
      const id = await payment(inQatar);
      await refused(
        () => portfolio.canonical('payment', id, { amount: money(2_400_000_000_000_001) }),
        /^data\.amount: .*15 significant digits/,
      );
      await refused(
        () => portfolio.native('platform_a', 'payment', inQatar.a, { amount: '90071992547409.91' }),
        /^data\.amount: /,
      );
    });
  });

  it('holds the largest amount exactly where it is not converted', async () => {
    const alone = await all.open(['platform_a']);
    await alone.setRules('off', 'paid_above_billed');
    const { body } = await alone.native('platform_a', 'payment', inQatar.a, { amount: '90071992547409.91' });
    expect(body.data.canonical.data.amount).toEqual(money(Number.MAX_SAFE_INTEGER));
    expect((await alone.find('platform_a', 'payment', inQatar.a)).platform_data.amount).toBe(
      '90071992547409.91',
    );
  });

  describe.each([
    ['contract', '1945782', 'e27086cf-303f-4cb0-b36a-d348e484bcd5', 900_000_001, '9000000.01', 32760000.04],
    ['contract', '1945803', 'ee949b7d-d352-4264-9c89-2df29fee5b2d', 100, '1.00', 3.67],
    ['contract', '1946004', '35dcfa95-dcf3-4863-81f5-3af3a6550d1f', 55_555_555, '555555.55', 2040277.76],
    ['contract', '1946019', '6caaf701-acd0-4818-86f4-9c40a2e33066', 0, '0.00', 0],
    ['invoice', '10061', 'e4c74346-de67-45e7-bc0b-70120927dab0', 200_000_001, '2000000.01', 7280000.04],
    ['invoice', '10064', '478f18a1-f4c1-40c9-aaa8-3802ce0d0b55', 94_500_100, '945001.00', 3439803.64],
    ['invoice', '10074', '9ad62d2f-2087-4b38-91bf-1e6facf435be', 14, '0.14', 0.52],
    ['invoice', '10076', 'be4446c4-05ac-4bc5-8467-4fa4e689ff47', 39_600_001, '396000.01', 1441440.04],
  ] as const)('of %s %s', (type, a, b, amount, onA, onB) => {
    const amountOn = (platform: Platform, payload: ReturnType<typeof JSON.parse>) => {
      if (platform === 'platform_a') {
        return type === 'contract' ? payload.grand_total : payload.summary.current_payment_due;
      }
      return type === 'contract' ? payload.totalAmountExcludingTax : payload.totalAmountIncludingTax;
    };

    it('follows the single line on both platforms, and every figure foots', async () => {
      const before = await portfolio.find('platform_b', type, b);
      const paid = before.platform_data.totalAmountIncludingTax - before.platform_data.remainingAmount;
      const { status, body } = await portfolio.canonical(type, before.canonical_id, {
        amount: money(amount),
      });
      expect(status).toBe(200);
      expect(body.data.canonical).toMatchObject({
        updated_fields: ['amount'],
        data: { amount: money(amount) },
      });
      for (const platform of platforms) {
        const entry = body.data.propagated[platform];
        const listed = await portfolio.find(platform, type, platform === 'platform_a' ? a : b);
        expect(entry.data).toEqual(listed.platform_data);
        expect(body.data.canonical.data).toEqual(listed.data);
        expect(amountOn(platform, entry.data)).toBe(platform === 'platform_a' ? onA : onB);
        expectToFoot(platform, type, entry.data);
      }
      if (type === 'invoice') {
        const { remainingAmount, totalAmountIncludingTax } = body.data.propagated.platform_b.data;
        expect(totalAmountIncludingTax - remainingAmount).toBeCloseTo(paid, 6);
      }
    });

    it('can be written in either platform’s own form', async () => {
      const name = type === 'contract' ? 'totalAmountExcludingTax' : 'totalAmountIncludingTax';
      const onB = await portfolio.native('platform_b', type, b, { [name]: 1000.01 });
      expect(onB.status).toBe(200);
      expect(amountOn('platform_b', onB.body.data.propagated.platform_b.data)).toBe(1000.01);
      const shown =
        type === 'contract' ? { grand_total: '777.77' } : { summary: { current_payment_due: '777.77' } };
      const onA = await portfolio.native('platform_a', type, a, shown);
      expect(onA.status).toBe(200);
      expect(onA.body.data.canonical.data.amount).toEqual(money(777_77));
      for (const platform of platforms) {
        expectToFoot(platform, type, onB.body.data.propagated[platform].data);
        expectToFoot(platform, type, onA.body.data.propagated[platform].data);
      }
    });
  });

  describe.each([
    [
      'contract',
      '1945790',
      '406ca4bd-039d-465f-b9be-624b9bec8fe6',
      { grand_total: '5.00' },
      { totalAmountExcludingTax: 5 },
      ['562949957120314', '562949957120321', '562949957120328', '562949957120335'],
    ],
    [
      'invoice',
      '10071',
      '7a3773d8-6451-4d92-8d7d-51682453656d',
      { summary: { current_payment_due: '5.00' } },
      { totalAmountIncludingTax: 5 },
      ['17918091', '17918092'],
    ],
  ] as const)('of a %s with several lines', (type, a, b, onA, onB, lines) => {
    it('cannot be changed: 422 names the lines, and nothing is written', async () => {
      const { canonical_id: id, platform_data } = await portfolio.find('platform_b', type, b);
      const itsLines = (platform_data.salesOrderLines ?? platform_data.salesInvoiceLines).map(
        (line: { id: string }) => line.id,
      );
      const before = await portfolio.stored();
      for (const [answer, named, path] of [
        [await portfolio.canonical(type, id, { amount: money(500) }), lines, 'amount'],
        [
          await portfolio.native('platform_a', type, a, onA),
          lines,
          /grand_total|summary\.current_payment_due/,
        ],
        [await portfolio.native('platform_b', type, b, onB), itsLines, /totalAmount/],
      ] as const) {
        expectError(answer, 422, 'TRANSFORM_ERROR', /^data\./);
        expect(answer.body.error.message).toMatch(path);
        for (const line of named) expect(answer.body.error.message).toContain(line);
      }
      expect(await portfolio.stored()).toEqual(before);
    });

    it('does not keep other fields from changing', async () => {
      const { canonical_id: id, data } = await portfolio.find('platform_b', type, b);
      const change = type === 'contract' ? { completion_date: '2027-01-31' } : { due_date: '2027-01-31' };
      const { status, body } = await portfolio.canonical(type, id, { ...change, amount: data.amount });
      expect(status).toBe(200);
      expect(body.data.canonical.updated_fields).toEqual(Object.keys(change));
    });
  });
});
