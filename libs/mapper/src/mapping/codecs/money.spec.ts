import { parseJsonText } from '../../json/json-text';
import type { JsonObject, JsonValue } from '../../json/json-value';
import { exponentOf } from '../../money/currencies';
import { mappingOf, type PlatformName } from '../../platforms';
import { fc } from '../../testing/property';
import { attempt, type ValueContext } from '../codec';
import { moneyCodec } from './money';

const onA = moneyCodec({ form: 'text' });
const onB = moneyCodec({ form: 'number' });
const budget = moneyCodec({ form: 'number or text' });
const receipt = moneyCodec({ form: 'number', negated: true });

const inCurrency = (currency: string): ValueContext => ({ currency, localCurrency: 'QAR' });
const usd = inCurrency('USD');

/** Reads a JSON token as a request would bring it, without a double in between. */
const token = (text: string) => parseJsonText(`{"amount":${text}}`) as JsonObject;

describe('money on the wire', () => {
  it.each(['JPY', 'USD', 'KWD', 'CLF'])(
    'in %s is written and read again exactly, on both platforms',
    (currency) => {
      const context = inCurrency(currency);
      const exact = { min: -999_999_999_999_999, max: 999_999_999_999_999 };
      fc.assert(
        fc.property(fc.integer(exact), fc.maxSafeInteger(), (amount, large) => {
          for (const codec of [onA, onB, budget, receipt]) {
            const money = { amount, currency };
            expect(codec.decode(codec.encode(money, context) ?? null, context)).toEqual({
              amount: amount + 0,
              currency,
            });
          }
          const most = { amount: large, currency };
          const text = onA.encode(most, context);
          expect(text).toMatch(
            exponentOf(currency) === 0 ? /^-?\d+$/ : new RegExp(`^-?\\d+\\.\\d{${exponentOf(currency)}}$`),
          );
          expect(onA.decode(text ?? null, context)).toEqual({ amount: large + 0, currency });
        }),
      );
    },
  );

  it.each([
    ['"0.01"', 'USD', 1],
    ['"19.99"', 'USD', 1999],
    ['"90071992547409.91"', 'USD', 9_007_199_254_740_991],
    ['"1700000.0"', 'USD', 170_000_000],
    ['"007.50"', 'USD', 750],
    ['"-0.0"', 'USD', 0],
    ['"170000.0"', 'JPY', 170_000],
    ['"1700.125"', 'KWD', 1_700_125],
  ])('platform_a may write %s %s', (text, currency, amount) => {
    expect(onA.decode(JSON.parse(text) as JsonValue, inCurrency(currency))).toEqual({ amount, currency });
  });

  it.each([
    ['0.01', 'USD', 1],
    ['19.99', 'USD', 1999],
    ['164.7', 'USD', 16_470],
    ['8.24', 'USD', 824],
    ['1.005', 'KWD', 1005],
    ['-0', 'USD', 0],
    ['-0.0', 'USD', 0],
    ['1e3', 'USD', 100_000],
    ['1E+2', 'JPY', 100],
    ['170000.0', 'JPY', 170_000],
    ['1700.125', 'KWD', 1_700_125],
    ['9999999999999.99', 'USD', 999_999_999_999_999],
    ['1700000.000000000000000000000000', 'USD', 170_000_000],
    ['90000000000000', 'USD', 9_000_000_000_000_000],
  ])('platform_b may write %s %s', (text, currency, amount) => {
    expect(onB.decode(token(text).amount ?? null, inCurrency(currency))).toEqual({ amount, currency });
  });

  it.each([
    ['12.345', '"12.345" has more decimals than USD allows'],
    ['90071992547409.92', '"90071992547409.92" is beyond the largest amount, 2^53-1 minor units of USD'],
    ...['1e3', '1,000.00', '', ' 1', '1 ', '+1', 'NaN', 'Infinity', '-', '.5', '5.', '0x10', '٣'].map(
      (text) => [
        text,
        `expected a decimal number as text, such as "1250.00", received ${JSON.stringify(text)}`,
      ],
    ),
  ])('platform_a may not write "%s"', (text, problem) => {
    expect(attempt(() => onA.decode(text, usd))).toMatchObject({ problem });
  });

  it.each<JsonValue>([12.5, true, [], {}, ['1.00']])('platform_a writes text, not %j', (wire) => {
    expect(attempt(() => onA.decode(wire, usd))).toHaveProperty('problem');
  });

  it.each([
    [
      '90071992547409.91',
      '90071992547409.91 has more than 15 significant digits, which a JSON number does not carry safely',
    ],
    [
      String(0.1 + 0.2),
      '0.30000000000000004 has more than 15 significant digits, which a JSON number does not carry safely',
    ],
    [
      '999999999999999.99',
      '999999999999999.99 has more than 15 significant digits, which a JSON number does not carry safely',
    ],
    [
      '9007199254740993',
      '9007199254740993 has more than 15 significant digits, which a JSON number does not carry safely',
    ],
    ['0.001', '"0.001" has more decimals than USD allows'],
    ['1e30', '"1e+30" is beyond the largest amount, 2^53-1 minor units of USD'],
    ['1e300', '1e+300 is too large or too small a number'],
    ['1e400', '1e400 is too large or too small a number'],
    ['"1700.00"', 'expected a number, such as 1250.5, received "1700.00"'],
    ['true', 'expected a number, such as 1250.5, received true'],
    ['[]', 'expected a number, such as 1250.5, received a list'],
    ['{}', 'expected a number, such as 1250.5, received an object'],
  ])('platform_b may not write %s', (text, problem) => {
    expect(attempt(() => onB.decode(token(text).amount ?? null, usd))).toMatchObject({ problem });
  });

  it('does not go out as a number that a reader’s double may not hold', () => {
    expect(attempt(() => onB.encode({ amount: 9_007_199_254_740_991, currency: 'USD' }, usd))).toMatchObject({
      problem:
        '"90071992547409.91" has more than 15 significant digits, which a JSON number does not carry safely',
    });
    expect(onA.encode({ amount: 9_007_199_254_740_991, currency: 'USD' }, usd)).toBe('90071992547409.91');
  });

  it('is text or a number in a budget, and is written as a number', () => {
    expect(budget.decode('4250000.0', usd)).toEqual({ amount: 425_000_000, currency: 'USD' });
    expect(budget.decode(4_250_000.1, usd)).toEqual({ amount: 425_000_010, currency: 'USD' });
    expect(budget.encode({ amount: 425_000_010, currency: 'USD' }, usd)).toBe(4_250_000.1);
    expect(budget.encode(null, usd)).toBeNull();
  });

  it('has the opposite sign in a receipt, except for nothing', () => {
    expect(receipt.decode(-1_700_000, usd)).toEqual({ amount: 170_000_000, currency: 'USD' });
    expect(receipt.decode(25.5, usd)).toEqual({ amount: -2550, currency: 'USD' });
    expect(receipt.encode({ amount: 170_000_000, currency: 'USD' }, usd)).toBe(-1_700_000);
    expect(Object.is(receipt.encode({ amount: 0, currency: 'USD' }, usd), 0)).toBe(true);
    expect(Object.is(receipt.decode(0, usd)?.amount, 0)).toBe(true);
  });

  it('is nothing where the platform says nothing', () => {
    expect(onA.decode(null, usd)).toBeNull();
    expect(onA.encode(null, usd)).toBeNull();
    expect(onB.decode(null, usd)).toBeNull();
    expect(onB.encode(null, usd)).toBe(0);
  });

  it('has a currency, the record’s own', () => {
    const none: ValueContext = { currency: undefined, localCurrency: 'QAR' };
    expect(attempt(() => onA.decode('1.00', none))).toMatchObject({
      problem: 'is an amount in a currency that is not known',
    });
    expect(attempt(() => onA.encode({ amount: 1, currency: 'QAR' }, usd))).toMatchObject({
      problem: 'is in QAR, while the record is in USD',
    });
    expect(attempt(() => onA.encode({ amount: 1, currency: 'QAR' }, none))).toMatchObject({
      problem: 'is in QAR, while the record is in no currency that is known',
    });
  });

  it('is in the local currency where the ERP keeps it in that', () => {
    const balance = moneyCodec({ form: 'number', local: true });
    expect(balance.decode(172.94, usd)).toEqual({ amount: 17_294, currency: 'QAR' });
    expect(balance.encode({ amount: 17_294, currency: 'QAR' }, usd)).toBe(172.94);
    expect(attempt(() => balance.encode({ amount: 17_294, currency: 'USD' }, usd))).toHaveProperty('problem');
  });
});

describe('the currency of a record', () => {
  const contexts = { inheritedCurrency: 'USD', localCurrency: 'QAR' };
  const read = (platform: PlatformName, entityType: 'contract' | 'payment', payload: JsonObject) =>
    mappingOf(platform, entityType, { variant: platform === 'platform_a' ? undefined : null }).decode(
      payload,
      contexts,
    );

  it('is its own, in whatever case it is spelt', () => {
    const configured = { currency_iso_code: ' aed ' };
    expect(
      read('platform_a', 'contract', { grand_total: '1.00', currency_configuration: configured }).data,
    ).toMatchObject({
      amount: { amount: 100, currency: 'AED' },
      currency: 'AED',
    });
    expect(read('platform_b', 'payment', { amount: -1, currencyCode: 'SAR' }).data.amount).toEqual({
      amount: 100,
      currency: 'SAR',
    });
  });

  it.each([[null], [''], [' ']])('is inherited on platform_a where it says %j', (code) => {
    const payload = { grand_total: '1.00', currency_configuration: { currency_iso_code: code } };
    const { data, currency, namesCurrency } = read('platform_a', 'contract', payload);
    expect(data).toMatchObject({ amount: { amount: 100, currency: 'USD' }, currency: 'USD' });
    expect({ currency, namesCurrency }).toEqual({ currency: 'USD', namesCurrency: false });
  });

  it('is inherited by a payment of platform_b that has no field for it', () => {
    const { data, currency, namesCurrency } = read('platform_b', 'payment', { amount: -1 });
    expect(data.amount).toEqual({ amount: 100, currency: 'USD' });
    expect({ currency, namesCurrency }).toEqual({ currency: 'USD', namesCurrency: false });
    const { data: order } = read('platform_b', 'contract', { totalAmountExcludingTax: 1 });
    expect(order.amount).toEqual({ amount: 100, currency: 'QAR' });
  });

  it('is unknown if the record that it is inherited from does not exist', () => {
    const context = { inheritedCurrency: '', localCurrency: 'QAR' };
    const { data, currency, issues } = mappingOf('platform_b', 'payment').read({ amount: -1 }, context);
    expect({ amount: data.amount, currency, issues: issues.length }).toEqual({
      amount: undefined,
      currency: undefined,
      issues: 1,
    });
  });

  it.each([[{ currencyCode: '' }], [{ currencyCode: null }]])(
    'is the local one on platform_b with %j',
    (code) => {
      const { data, namesCurrency } = read('platform_b', 'payment', { amount: -1, ...code });
      expect(data.amount).toEqual({ amount: 100, currency: 'QAR' });
      expect(namesCurrency).toBe(false);
    },
  );

  it.each([['EURO'], ['XXX'], [5], [{}]])('is unknown when it says %j, and so is every amount', (code) => {
    const payload = {
      grand_total: '1.00',
      total_payments: '2.00',
      currency_configuration: { currency_iso_code: code },
    };
    const { data, issues, currency } = read('platform_a', 'contract', payload);
    expect(currency).toBeUndefined();
    expect(data).toEqual({ kind: 'work_order' });
    expect(issues.map(({ path }) => path).sort()).toEqual([
      'currency_configuration.currency_iso_code',
      'grand_total',
      'total_payments',
    ]);
  });
});
