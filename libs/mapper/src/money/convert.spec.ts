import { fc } from '../testing/property';
import { conversionAt, convert, convertPrice, divideHalfEven } from './convert';
import { parseDecimalText, shortestDecimal } from './decimal-text';
import { findRate, type ExchangeRate } from './exchange-rates';
import { AmountError } from './money';

function rate(from: string, to: string, quote?: string): ExchangeRate {
  const found = findRate(from, to, quote === undefined ? {} : { request: { from, to, rate: quote } });
  if (found === undefined) throw new Error(`no rate from ${from} to ${to}`);
  return found;
}

/**
 * The same sum as `convert`, by another way: long division digit by digit on decimal text, then rounding by looking at
 * what is left. Exponents and rates as text.
 */
function convertedByHand(amount: number, exponents: readonly [number, number], quote: string): bigint {
  const [whole = '', fraction = ''] = quote.split('.');
  const scale = exponents[0] + fraction.length - exponents[1];
  const product = BigInt(amount) * BigInt(whole + fraction) * 10n ** BigInt(Math.max(0, -scale));
  const digits = (product < 0n ? -product : product).toString().padStart(Math.max(0, scale) + 1, '0');
  const kept = BigInt(digits.slice(0, digits.length - Math.max(0, scale)));
  const cut = digits.slice(digits.length - Math.max(0, scale));
  const half = '5'.padEnd(cut.length, '0');
  const up = scale > 0 && (cut > half || (cut === half && kept % 2n === 1n));
  const magnitude = up ? kept + 1n : kept;
  return product < 0n ? -magnitude : magnitude;
}

describe('division half to even', () => {
  it.each([
    [1n, 2n, 0n],
    [3n, 2n, 2n],
    [5n, 2n, 2n],
    [7n, 2n, 4n],
    [-1n, 2n, 0n],
    [-3n, 2n, -2n],
    [-5n, 2n, -2n],
    [-7n, 2n, -4n],
    [5n, 3n, 2n],
    [4n, 3n, 1n],
    [-5n, 3n, -2n],
    [0n, 7n, 0n],
  ])('%d / %d is %d', (dividend, divisor, expected) => {
    expect(divideHalfEven(dividend, divisor)).toBe(expected);
  });

  it('is never off by more than half, and symmetric around zero', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n }),
        fc.bigInt({ min: 1n, max: 2n ** 60n }),
        (a, b) => {
          const quotient = divideHalfEven(a, b);
          const error = 2n * (quotient * b - a);
          expect(error <= b && error >= -b).toBe(true);
          if (error === b || error === -b) expect(quotient % 2n).toBe(0n);
          expect(divideHalfEven(-a, b)).toBe(-quotient);
        },
      ),
    );
  });
});

describe('a conversion', () => {
  it.each([
    [{ amount: 170_000_000, currency: 'USD' }, 'QAR', undefined, 618_800_000],
    [{ amount: 618_800_000, currency: 'QAR' }, 'USD', undefined, 170_000_000],
    [{ amount: 1, currency: 'USD' }, 'AED', undefined, 4],
    [{ amount: 100, currency: 'USD' }, 'BHD', undefined, 376],
    [{ amount: 100, currency: 'QAR' }, 'AED', undefined, 101],
    [{ amount: 1999, currency: 'USD' }, 'JPY', '151.37', 3026],
    [{ amount: 3026, currency: 'JPY' }, 'USD', '0.0066', 1997],
    [{ amount: 25, currency: 'USD' }, 'EUR', '0.5', 12],
    [{ amount: 35, currency: 'USD' }, 'EUR', '0.5', 18],
    [{ amount: -25, currency: 'USD' }, 'EUR', '0.5', -12],
    [{ amount: -35, currency: 'USD' }, 'EUR', '0.5', -18],
    [{ amount: 0, currency: 'USD' }, 'QAR', undefined, 0],
  ])('of %j into %s at %s gives %d', (money, to, quote, expected) => {
    expect(convert(money, rate(money.currency, to, quote))).toEqual({ amount: expected, currency: to });
  });

  it('agrees with the sum done by hand', () => {
    const exponents = { JPY: 0, USD: 2, KWD: 3, CLF: 4 } as const;
    type Code = keyof typeof exponents;
    const codes = Object.keys(exponents) as Code[];
    const quotes = fc.tuple(fc.integer({ min: 1, max: 999_999_999 }), fc.nat(9)).map(([units, scale]) => {
      const digits = String(units).padStart(scale + 1, '0');
      return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
    });
    fc.assert(
      fc.property(
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.constantFrom(...codes),
        fc.constantFrom(...codes),
        quotes,
        (amount, from, to, quote) => {
          fc.pre(from !== to);
          const expected = convertedByHand(amount, [exponents[from], exponents[to]], quote);
          const converted = () => convert({ amount, currency: from }, rate(from, to, quote)).amount;
          if (expected > 2n ** 53n - 1n || expected < -(2n ** 53n) + 1n)
            expect(converted).toThrow(AmountError);
          else expect(BigInt(converted())).toBe(expected);
        },
      ),
    );
  });

  it('there and back is off by less than one unit of either currency', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e12, max: 1e12 }),
        fc.constantFrom(['USD', 'QAR'], ['USD', 'BHD'], ['AED', 'QAR'], ['OMR', 'SAR']),
        (amount, [from = '', to = '']) => {
          const there = convert({ amount, currency: from }, rate(from, to));
          const back = convert(there, rate(to, from));
          expect(back.currency).toBe(from);
          // The finer currency holds the coarser one; the other way round half a unit of the coarser is lost.
          const coarser = Math.max(
            1,
            Math.abs(convert({ amount: 1000, currency: to }, rate(to, from)).amount) / 1000,
          );
          expect(Math.abs(back.amount - amount)).toBeLessThanOrEqual(coarser / 2 + 0.5);
          expect(convert(back, rate(from, to)).amount === there.amount || coarser > 1).toBe(true);
        },
      ),
    );
  });

  it('refuses an amount in another currency, and one that leaves the range', () => {
    expect(() => convert({ amount: 1, currency: 'EUR' }, rate('USD', 'QAR'))).toThrow(
      new RangeError('a rate from USD cannot convert EUR'),
    );
    expect(() => convert({ amount: Number.MAX_SAFE_INTEGER, currency: 'USD' }, rate('USD', 'QAR'))).toThrow(
      AmountError,
    );
  });

  it('is reported with the rate as it was quoted', () => {
    expect(conversionAt(rate('USD', 'QAR'))).toStrictEqual({
      from: 'USD',
      to: 'QAR',
      rate: '3.64',
      source: 'peg',
      rounding: 'half_even',
    });
    expect(conversionAt(rate('QAR', 'USD'))).toStrictEqual({
      from: 'QAR',
      to: 'USD',
      rate: '3.64',
      source: 'peg',
      inverted: true,
      rounding: 'half_even',
    });
    expect(conversionAt(rate('QAR', 'AED'))).toStrictEqual({
      from: 'QAR',
      to: 'AED',
      rate: '3.6725/3.64',
      source: 'peg',
      via: 'USD',
      rounding: 'half_even',
    });
  });
});

describe('a price', () => {
  it.each([
    ['100', 'QAR', undefined, '364'],
    ['0', 'QAR', undefined, '0'],
    ['-12.5', 'QAR', undefined, '-45.5'],
    ['1.23456', 'QAR', undefined, '4.4938'],
    ['1.234567', 'QAR', undefined, '4.493824'],
    ['123456789012.34', 'QAR', undefined, '449382712004.918'],
    ['1', 'EUR', '0.333333333333', '0.33333'],
    ['999999999999999', 'EUR', '0.9999999', '999999899999999'],
  ])('of %s USD in %s at %s is %s', (price, to, quote, expected) => {
    const decimal = parseDecimalText(price);
    if (decimal === undefined) throw new Error('no decimal');
    expect(shortestDecimal(convertPrice(decimal, rate('USD', to, quote)))).toBe(expected);
  });
});
