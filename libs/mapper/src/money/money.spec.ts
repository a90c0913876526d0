import { fc } from '../testing/property';
import { exponentOf, isCurrency } from './currencies';
import { parseDecimalText } from './decimal-text';
import {
  AmountError,
  isMoney,
  minorUnits,
  moneyNumber,
  moneyOf,
  moneyText,
  sameMoney,
  shortMoney,
} from './money';

const currencies = ['JPY', 'USD', 'KWD', 'CLF'] as const;

function read(text: string, currency: string) {
  const decimal = parseDecimalText(text);
  if (decimal === undefined) throw new Error(`${text} is no decimal`);
  return moneyOf(decimal, currency, text);
}

describe('the currencies', () => {
  it.each([
    [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
    [2, 'USD QAR AED SAR EUR GBP MGA MRU VED'],
    [3, 'BHD IQD JOD KWD LYD OMR TND'],
    [4, 'CLF UYW'],
  ])('have %d decimals: %s', (exponent, codes) => {
    for (const code of codes.split(' ')) expect(exponentOf(code)).toBe(exponent);
  });

  it.each(['', 'usd', 'EURO', 'XXX', 'XAU', 'US', 'USD ', 'toString', '__proto__'])(
    'do not include "%s"',
    (code) => {
      expect(isCurrency(code)).toBe(false);
      expect(() => exponentOf(code)).toThrow(new RangeError(`${code} is not an ISO 4217 currency`));
    },
  );
});

describe('an amount of money', () => {
  it.each(currencies)('in %s comes back exactly from its text', (currency) => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (amount) => {
        const text = moneyText({ amount, currency });
        expect(read(text, currency)).toEqual({ amount: amount + 0, currency });
        const [, fraction = ''] = text.split('.');
        expect(fraction).toHaveLength(exponentOf(currency));
      }),
    );
  });

  it.each(currencies)(
    'in %s comes back exactly from its JSON number, where a reader’s double holds it',
    (currency) => {
      fc.assert(
        fc.property(fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }), (amount) => {
          const token = JSON.stringify(moneyNumber({ amount, currency }));
          expect(read(Number(token).toFixed(exponentOf(currency)), currency)).toEqual({
            amount: amount + 0,
            currency,
          });
        }),
      );
    },
  );

  it('reads zeros beyond its decimals, on either side', () => {
    expect(read('1700000.0', 'USD')).toEqual({ amount: 170_000_000, currency: 'USD' });
    expect(read('1700.000', 'USD')).toEqual({ amount: 170_000, currency: 'USD' });
    expect(read('0001700.5', 'USD')).toEqual({ amount: 170_050, currency: 'USD' });
    expect(read('170000.0', 'JPY')).toEqual({ amount: 170_000, currency: 'JPY' });
    expect(read('1700.125', 'KWD')).toEqual({ amount: 1_700_125, currency: 'KWD' });
    expect(read('-0.0', 'USD')).toEqual({ amount: 0, currency: 'USD' });
  });

  it.each([
    ['12.345', 'USD', '"12.345" has more decimals than USD allows'],
    ['170000.5', 'JPY', '"170000.5" has more decimals than JPY allows'],
    ['1.0001', 'KWD', '"1.0001" has more decimals than KWD allows'],
    [
      '90071992547409.92',
      'USD',
      '"90071992547409.92" is beyond the largest amount, 2^53-1 minor units of USD',
    ],
    [
      '-9007199254740992',
      'JPY',
      '"-9007199254740992" is beyond the largest amount, 2^53-1 minor units of JPY',
    ],
  ])('refuses %s %s rather than rounding it', (text, currency, message) => {
    expect(() => read(text, currency)).toThrow(new AmountError(message));
  });

  it('is shown in a message with its first forty characters', () => {
    const digits = '1234567890'.repeat(4);
    expect(() => read(digits, 'JPY')).toThrow(`"${digits}" is beyond`);
    expect(() => read(`${digits}1`, 'JPY')).toThrow(`"${digits}…" is beyond`);
  });

  it('is read from short text, and left to the long way where that says more', () => {
    expect(shortMoney('-12.5', 'USD')).toEqual({ amount: -1250, currency: 'USD' });
    expect(shortMoney('12.5', 'JPY')).toBeUndefined();
    expect(shortMoney('12.5', 'XXX')).toBeUndefined();
  });

  it('goes up to 2^53-1 minor units on either side of zero', () => {
    expect(read('90071992547409.91', 'USD').amount).toBe(Number.MAX_SAFE_INTEGER);
    expect(read('-90071992547409.91', 'USD').amount).toBe(Number.MIN_SAFE_INTEGER);
    expect(minorUnits(2n ** 53n - 1n, 'USD').amount).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => minorUnits(2n ** 53n, 'USD')).toThrow(AmountError);
    expect(() => minorUnits(-(2n ** 53n), 'USD')).toThrow(AmountError);
  });

  it('is written as text with the decimals of its currency', () => {
    expect(moneyText({ amount: 170_000, currency: 'USD' })).toBe('1700.00');
    expect(moneyText({ amount: -5, currency: 'USD' })).toBe('-0.05');
    expect(moneyText({ amount: 0, currency: 'KWD' })).toBe('0.000');
    expect(moneyText({ amount: 1700, currency: 'JPY' })).toBe('1700');
  });

  it('is written as a JSON number of at most 15 significant digits', () => {
    expect(moneyNumber({ amount: 170_050, currency: 'USD' })).toBe(1700.5);
    expect(moneyNumber({ amount: -0, currency: 'USD' })).toBe(0);
    expect(moneyNumber({ amount: 1_234_567_890_123_450, currency: 'USD' })).toBe(12_345_678_901_234.5);
    expect(moneyNumber({ amount: 9_000_000_000_000_000, currency: 'USD' })).toBe(90_000_000_000_000);
    expect(() => moneyNumber({ amount: 9_007_199_254_740_991, currency: 'USD' })).toThrow(
      '"90071992547409.91" has more than 15 significant digits, which a JSON number does not carry safely',
    );
  });

  it.each([
    [{ amount: 1, currency: 'USD' }, true],
    [{ currency: 'USD', amount: -1 }, true],
    [{ amount: 1.5, currency: 'USD' }, false],
    [{ amount: 2 ** 53, currency: 'USD' }, false],
    [{ amount: '1', currency: 'USD' }, false],
    [{ amount: 1, currency: 'EURO' }, false],
    [{ amount: 1 }, false],
    [{ amount: 1, currency: 'USD', note: '' }, false],
    [[1, 'USD'], false],
    [null, false],
    [undefined, false],
    ['1 USD', false],
  ])('has exactly an amount and a currency: %j is %s', (value, expected) => {
    expect(isMoney(value)).toBe(expected);
  });

  it('is the same only in the same currency', () => {
    expect(sameMoney({ amount: 1, currency: 'USD' }, { amount: 1, currency: 'USD' })).toBe(true);
    expect(sameMoney({ amount: 1, currency: 'USD' }, { amount: 2, currency: 'USD' })).toBe(false);
    expect(sameMoney({ amount: 1, currency: 'USD' }, { amount: 1, currency: 'QAR' })).toBe(false);
  });
});
