import { api, type ApiResponse } from '../../support/app/api';
import { startApp, type RunningApp } from '../../support/app/app';
import { expectError } from '../../support/app/expectations';

jest.setTimeout(30_000);

const other = { platform_a: 'platform_b', platform_b: 'platform_a' } as const;

/** Every field of money that a platform writes as text: type, path, canonical field, context. */
const asText = [
  ['contract', ['grand_total'], 'amount', { commitmentType: 'WorkOrderContract' }],
  ['contract', ['revised_contract'], 'revised_amount', { commitmentType: 'PurchaseOrderContract' }],
  ['invoice', ['summary', 'current_payment_due'], 'amount', {}],
  ['invoice', ['total_claimed_amount'], 'claimed_amount', {}],
  ['payment', ['amount'], 'amount', {}],
  ['change_order', ['grand_total'], 'amount', {}],
  ['project', ['total_value'], 'total_value', {}],
  ['budget_line_item', ['original_budget_amount'], 'budgeted_amount', {}],
] as const;

/** Every field of money that a platform writes as a number; payments have the other sign there. */
const asNumber = [
  ['platform_b', 'contract', ['totalAmountExcludingTax'], 'amount', 1],
  ['platform_b', 'contract', ['discountAmount'], 'discount_amount', 1],
  ['platform_b', 'invoice', ['totalAmountIncludingTax'], 'amount', 1],
  ['platform_b', 'invoice', ['remainingAmount'], 'remaining_amount', 1],
  ['platform_b', 'payment', ['amount'], 'amount', -1],
  ['platform_b', 'change_order', ['totalAmountExcludingTax'], 'amount', 1],
  ['platform_b', 'budget_line_item', ['totalCost'], 'budgeted_amount', 1],
  ['platform_b', 'customer', ['creditLimit'], 'credit_limit', 1],
  ['platform_a', 'budget_line_item', ['original_budget_amount'], 'budgeted_amount', 1],
  ['platform_a', 'project', ['total_value'], 'total_value', 1],
] as const;

const holds = (path: readonly string[], token: string): string =>
  path.reduceRight((inner, member) => `{"${member}":${inner}}`, token);

describe('POST /transform, amounts', () => {
  let app: RunningApp;
  let client: ReturnType<typeof api>;

  beforeAll(async () => {
    app = await startApp();
    client = api(app.url, (await app.openSession()).key);
  });
  afterAll(() => app.close());

  /** Sends `data` as the very text given, so that every token of a number arrives. */
  const sendText = (
    source: string,
    target: string,
    type: string,
    data: string,
    context: object = {},
  ): Promise<ApiResponse> =>
    client.post(
      '/transform',
      `{"source":"${source}","target":"${target}","entity_type":"${type}","data":${data},"context":${JSON.stringify(context)}}`,
    );

  describe.each(asText)('of a %s of platform_a in %j', (type, path, field, context) => {
    const read = (text: unknown, currency: string) =>
      sendText('platform_a', 'platform_a', type, holds(path, JSON.stringify(text)), { ...context, currency });

    it('are read exactly, by the decimals of the currency', async () => {
      for (const [text, currency, amount] of [
        ['0.01', 'USD', 1],
        ['19.99', 'USD', 1999],
        ['164.7', 'USD', 16470],
        ['8.24', 'USD', 824],
        ['0', 'USD', 0],
        ['-0.0', 'USD', 0],
        ['-125.5', 'USD', -12550],
        ['1700.000', 'USD', 170000],
        ['007.10', 'USD', 710],
        ['90071992547409.91', 'USD', Number.MAX_SAFE_INTEGER],
        ['-90071992547409.91', 'USD', -Number.MAX_SAFE_INTEGER],
        ['170000', 'JPY', 170000],
        ['170000.0', 'JPY', 170000],
        ['1700.125', 'KWD', 1700125],
        ['1700.1250', 'BHD', 1700125],
        ['1.2345', 'CLF', 12345],
      ] as const) {
        const { status, body } = await read(text, currency);
        expect({ text, status, money: body.canonical?.[field] }).toEqual({
          text,
          status: 200,
          money: { amount, currency },
        });
      }
    });

    it('are refused where they do not fit, never rounded', async () => {
      for (const [wire, currency] of [
        ['1e3', 'USD'],
        ['1E+2', 'USD'],
        ['1,000.00', 'USD'],
        ['1.000,00', 'USD'],
        ['1 000', 'USD'],
        ['', 'USD'],
        [' ', 'USD'],
        ['.5', 'USD'],
        ['5.', 'USD'],
        ['+5', 'USD'],
        ['--5', 'USD'],
        ['5 ', 'USD'],
        ['$5', 'USD'],
        ['0x10', 'USD'],
        ['NaN', 'USD'],
        ['Infinity', 'USD'],
        ['٥', 'USD'],
        ['1.005', 'USD'],
        ['0.001', 'USD'],
        ['90071992547409.92', 'USD'],
        ['9'.repeat(1000), 'USD'],
        ['170000.5', 'JPY'],
        ['1700.1255', 'KWD'],
        [true, 'USD'],
        [{}, 'USD'],
        [{ amount: 1, currency: 'USD' }, 'USD'],
        [['1.00'], 'USD'],
      ] as const) {
        const answer = await read(wire, currency);
        expect(answer.body).toMatchObject({ error: { type: 'TRANSFORM_ERROR' } });
        expectError(answer, 422, 'TRANSFORM_ERROR', new RegExp(`^data\\.${path.join('\\.')}: `));
      }
    });
  });

  describe.each(asNumber)('of %s, a %s, in %j', (source, type, path, field, sign) => {
    const read = (token: string, currency = 'USD') =>
      sendText(source, source, type, holds(path, token), { currency });

    it('are read exactly, by their own text', async () => {
      for (const [token, currency, amount] of [
        ['0.01', 'USD', 1],
        ['19.99', 'USD', 1999],
        ['164.7', 'USD', 16470],
        ['8.24', 'USD', 824],
        ['0', 'USD', 0],
        ['-0.0', 'USD', 0],
        ['1.10', 'USD', 110],
        ['1e3', 'USD', 100000],
        ['1.5E2', 'USD', 15000],
        ['-125000.5', 'USD', -12500050],
        ['9999999999999.99', 'USD', 999999999999999],
        ['170000', 'JPY', 170000],
        ['1700.125', 'KWD', 1700125],
      ] as const) {
        const { status, body } = await read(token, currency);
        const money = { amount: amount * sign + 0, currency };
        expect({ token, status, money: body.canonical?.[field] }).toEqual({ token, status: 200, money });
      }
    });

    it('are refused where they do not fit, and where a double would blur them', async () => {
      for (const [token, currency] of [
        ['1.005', 'USD'],
        ['0.30000000000000004', 'USD'],
        ['90071992547409.91', 'USD'],
        ['999999999999999.99', 'USD'],
        ['1e400', 'USD'],
        ['1e-400', 'USD'],
        ['1e15', 'USD'],
        ['170000.5', 'JPY'],
        ['true', 'USD'],
        ['{}', 'USD'],
        ['[1]', 'USD'],
        ['"1e3"', 'USD'],
        ['"abc"', 'USD'],
      ] as const) {
        expectError(
          await read(token, currency),
          422,
          'TRANSFORM_ERROR',
          new RegExp(`^data\\.${path.join('\\.')}: `),
        );
      }
      if (source === 'platform_b') expectError(await read('"19.99"'), 422, 'TRANSFORM_ERROR', /a number/);
    });
  });

  it.each([
    ['contract', { grand_total: '90071992547409.91' }, 'data.grand_total'],
    ['payment', { amount: '9007199254740.991' }, 'data.amount'],
    [
      'invoice',
      { summary: { current_payment_due: '900719925474.0991' } },
      'data.summary.current_payment_due',
    ],
    ['change_order', { grand_total: '90071992547409.91' }, 'data.grand_total'],
  ])(
    'of a %s with more digits than a JSON number carries do not go to platform_b',
    async (type, data, path) => {
      const currency = path === 'data.amount' ? 'KWD' : path.includes('summary') ? 'CLF' : 'USD';
      const context = { currency, commitmentType: 'WorkOrderContract' };
      const answer = await sendText('platform_a', 'platform_b', type, JSON.stringify(data), context);
      expectError(answer, 422, 'TRANSFORM_ERROR', /15 significant digits/);
      expect(answer.body.error.message).toContain(path);
      // They stay as they are where they are.
      expect(
        (await sendText('platform_a', 'platform_a', type, JSON.stringify(data), context)).body.data,
      ).toEqual(data);
    },
  );

  it.each([
    ['platform_a', 'payment', '1.00', 'KWD', '1.000', -1],
    ['platform_a', 'payment', '1', 'JPY', '1', -1],
    ['platform_b', 'payment', '-1.5', 'KWD', '1.500', undefined],
    ['platform_b', 'payment', '-170000', 'JPY', '170000', undefined],
  ] as const)(
    'are written with the currency’s own decimals: %s, a %s of %s %s',
    async (source, type, wire, currency, text, number) => {
      const token = source === 'platform_a' ? `"${wire}"` : wire;
      const there = await sendText(source, other[source], type, `{"amount":${token}}`, { currency });
      if (number !== undefined)
        expect(there.body.data).toMatchObject({ amount: number, currencyCode: currency });
      else expect(there.body.data.amount).toBe(text);
    },
  );

  describe('in a currency', () => {
    it.each([
      [
        'platform_a',
        'contract',
        '{"grand_total":"1.00","currency_configuration":{"currency_iso_code":"XXX"}}',
      ],
      ['platform_a', 'contract', '{"grand_total":"1.00","currency_configuration":{"currency_iso_code":5}}'],
      ['platform_b', 'payment', '{"amount":-1,"currencyCode":"DOLLAR"}'],
      ['platform_b', 'contract', '{"totalAmountExcludingTax":1,"currencyCode":"ZZZ"}'],
    ])('that does not exist they are refused: %s, a %s', async (source, type, data) => {
      const answer = await sendText(source, 'platform_a', type, data, {
        commitmentType: 'WorkOrderContract',
      });
      expectError(answer, 422, 'TRANSFORM_ERROR', /currency/i);
    });

    it.each([
      [
        'its own before the context’s',
        'platform_b',
        'payment',
        '{"amount":-1,"currencyCode":"AED"}',
        { currency: 'SAR' },
        'AED',
      ],
      ['its own, in any letters', 'platform_b', 'payment', '{"amount":-1,"currencyCode":" aed "}', {}, 'AED'],
      [
        'the context’s where its own is blank',
        'platform_b',
        'payment',
        '{"amount":-1,"currencyCode":""}',
        { currency: 'SAR' },
        'SAR',
      ],
      [
        'the context’s where it has none',
        'platform_a',
        'payment',
        '{"amount":"1.00"}',
        { currency: 'SAR' },
        'SAR',
      ],
      [
        'the context’s where its own is null',
        'platform_a',
        'contract',
        '{"grand_total":"1.00","currency_configuration":{"currency_iso_code":null}}',
        { currency: 'SAR', commitmentType: 'WorkOrderContract' },
        'SAR',
      ],
      [
        'that of the service where nothing else names one',
        'platform_a',
        'payment',
        '{"amount":"1.00"}',
        {},
        'USD',
      ],
      [
        'that of the service where nothing else names one',
        'platform_b',
        'payment',
        '{"amount":-1}',
        {},
        'USD',
      ],
    ])('that is %s (%s, a %s)', async (_, source, type, data, context, currency) => {
      const { body } = await sendText(source, source, type, data, context);
      expect(body.canonical.amount).toEqual({ amount: 100, currency });
    });

    it('that DEFAULT_CURRENCY names', async () => {
      const service = await startApp({ defaultCurrency: 'KWD' });
      const own = api(service.url, (await service.openSession()).key);
      const { body } = await own.post('/transform', {
        source: 'platform_a',
        target: 'platform_b',
        entity_type: 'payment',
        data: { amount: '1.125' },
      });
      expect(body.canonical.amount).toEqual({ amount: 1125, currency: 'KWD' });
      expect(body.data).toMatchObject({ amount: -1.125, currencyCode: 'KWD' });
      await service.close();
    });
  });

  describe('converted when asked', () => {
    const convert = (data: object, context: object, type = 'payment') =>
      client.post('/transform', {
        source: 'platform_a',
        target: 'platform_b',
        entity_type: type,
        data,
        context,
      });

    it.each<[{ currency?: string; targetCurrency: string; exchangeRate?: object }, number, object]>([
      [{ targetCurrency: 'QAR' }, -37.13, { from: 'USD', to: 'QAR', rate: '3.64', source: 'peg' }],
      [{ targetCurrency: 'SAR' }, -38.25, { from: 'USD', to: 'SAR', rate: '3.75', source: 'peg' }],
      [{ targetCurrency: 'OMR' }, -3.922, { from: 'USD', to: 'OMR', rate: '0.3845', source: 'peg' }],
      [
        { currency: 'QAR', targetCurrency: 'USD' },
        -2.8,
        { from: 'QAR', to: 'USD', rate: '3.64', source: 'peg', inverted: true },
      ],
      [
        { currency: 'AED', targetCurrency: 'QAR' },
        -10.11,
        { from: 'AED', to: 'QAR', rate: '3.64/3.6725', source: 'peg', via: 'USD' },
      ],
      [
        { targetCurrency: 'EUR', exchangeRate: { from: 'USD', to: 'EUR', rate: '0.85' } },
        -8.67,
        { from: 'USD', to: 'EUR', rate: '0.85', source: 'request' },
      ],
      [
        { targetCurrency: 'QAR', exchangeRate: { from: 'QAR', to: 'USD', rate: '0.5' } },
        -20.4,
        { from: 'USD', to: 'QAR', rate: '0.5', source: 'request', inverted: true },
      ],
    ])('by %j', async (context, amount, conversion) => {
      const { status, body } = await convert({ amount: '10.20' }, context);
      expect(status).toBe(200);
      expect(body.data).toMatchObject({ amount, currencyCode: context.targetCurrency });
      expect(body.metadata.conversion).toEqual({ ...conversion, rounding: 'half_even' });
      expect(body.canonical.amount).toEqual({ amount: 1020, currency: context.currency ?? 'USD' });
    });

    it.each([
      ['0.02', -0.08],
      ['0.06', -0.22],
      ['-0.06', 0.22],
    ])('rounding %s once, half to even', async (amount, sar) => {
      expect((await convert({ amount }, { targetCurrency: 'SAR' })).body.data.amount).toBe(sar);
    });

    it('and not otherwise', async () => {
      const exchangeRate = { from: 'USD', to: 'QAR', rate: '3.64' };
      for (const context of [{}, { exchangeRate }, { targetCurrency: 'USD', exchangeRate }]) {
        const { body } = await convert({ amount: '10.20' }, context);
        expect(body.data).toMatchObject({ amount: -10.2, currencyCode: 'USD' });
        expect(body.metadata).not.toHaveProperty('conversion');
      }
    });

    it('every amount of a record alike', async () => {
      const { body } = await convert(
        { grand_total: '100.00', currency_configuration: { currency_iso_code: 'USD' } },
        { commitmentType: 'WorkOrderContract', targetCurrency: 'QAR' },
        'contract',
      );
      expect(body.data).toMatchObject({ totalAmountExcludingTax: 364, currencyCode: 'QAR' });
    });

    it.each([
      [{ targetCurrency: 'EUR' }, /context\.targetCurrency.*USD.*EUR/],
      [{ targetCurrency: 'EUR', exchangeRate: { from: 'GBP', to: 'EUR', rate: '1' } }, /USD.*EUR/],
      [{ targetCurrency: 'XXX' }, /context\.targetCurrency/],
      [{ targetCurrency: 'qar' }, /context\.targetCurrency/],
      [{ targetCurrency: 5 }, /context\.targetCurrency/],
      [{ currency: 'dollar' }, /context\.currency/],
      [{ currency: ['USD'] }, /context\.currency/],
      [{ exchangeRate: { from: 'USD', to: 'QAR', rate: '0.00' } }, /context\.exchangeRate\.rate/],
      [{ exchangeRate: { from: 'USD', to: 'QAR', rate: '1e1' } }, /context\.exchangeRate\.rate/],
      [{ exchangeRate: { from: 'USD', rate: '1' } }, /context\.exchangeRate\.to/],
      [{ exchangeRate: 'USD/QAR' }, /context\.exchangeRate/],
    ])('or refused: %j', async (context, message) => {
      expectError(await convert({ amount: '1.00' }, context), 422, 'TRANSFORM_ERROR', message);
    });

    it('or refused for an amount that is too large then', async () => {
      const answer = await convert({ amount: '90071992547409.91' }, { targetCurrency: 'QAR' });
      expectError(answer, 422, 'TRANSFORM_ERROR', /^data\.amount: /);
    });
  });
});
