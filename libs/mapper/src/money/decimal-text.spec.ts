import { fc } from '../testing/property';
import {
  formatDecimal,
  formatUnits,
  parseDecimalText,
  parseNumberToken,
  rescale,
  shortestDecimal,
  shortestOfExponent,
  shortestText,
  shortUnits,
  significantDigits,
  significantDigitsOf,
} from './decimal-text';

describe('decimal text', () => {
  it('comes back from any number of digits', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }),
        fc.integer({ min: 0, max: 30 }),
        (units, scale) => {
          expect(parseDecimalText(formatDecimal(units, scale))).toEqual({ units, scale });
        },
      ),
    );
  });

  it('has one shortest form', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
        fc.nat(9),
        fc.nat(9),
        (units, scale, zeros) => {
          const padded = { units: units * 10n ** BigInt(zeros), scale: scale + zeros };
          const text = shortestDecimal(padded);
          expect(text).toBe(shortestDecimal({ units, scale }));
          expect(text).toMatch(/^(0|-?(0|[1-9]\d*)(\.\d*[1-9])?)$/);
          const read = parseDecimalText(text);
          expect(read && rescale(read, scale)).toBe(units);
        },
      ),
    );
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '1e3',
    '1,000.00',
    '.5',
    '5.',
    '1.2.3',
    '--1',
    '0x10',
    'NaN',
    'Infinity',
    '١٢',
    '1_000',
  ])('is not "%s"', (text) => {
    expect(parseDecimalText(text)).toBeUndefined();
  });

  it('is not of any length', () => {
    expect(parseDecimalText('9'.repeat(400))).toBeDefined();
    expect(parseDecimalText('9'.repeat(401))).toBeUndefined();
  });

  it('rescales exactly or not at all', () => {
    expect(rescale({ units: 17n, scale: 1 }, 3)).toBe(1700n);
    expect(rescale({ units: 1700n, scale: 3 }, 1)).toBe(17n);
    expect(rescale({ units: 1701n, scale: 3 }, 1)).toBeUndefined();
    expect(rescale({ units: -1700n, scale: 2 }, 0)).toBe(-17n);
  });

  it('counts significant digits without the zeros at its end', () => {
    expect(significantDigits({ units: 1_700_000n, scale: 0 })).toBe(2);
    expect(significantDigits({ units: -999_999_999_999_999n, scale: 3 })).toBe(15);
    expect(significantDigits({ units: 0n, scale: 0 })).toBe(0);
  });
});

describe('a JSON number token', () => {
  it('is read as the number it denotes', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e60, max: 1e60, noNaN: true }), (value) => {
        fc.pre(value === 0 || Math.abs(value) >= 1e-60);
        const decimal = parseNumberToken(String(value));
        expect(decimal).toBeDefined();
        if (decimal) expect(Number(shortestDecimal(decimal))).toBe(value + 0);
      }),
    );
  });

  it('may have an exponent', () => {
    expect(parseNumberToken('1E+2')).toEqual({ units: 100n, scale: 0 });
    expect(parseNumberToken('12.5e-1')).toEqual({ units: 125n, scale: 2 });
    expect(parseNumberToken('-0')).toEqual({ units: 0n, scale: 0 });
    expect(parseNumberToken('1e60')).toEqual({ units: 10n ** 60n, scale: 0 });
    expect(parseNumberToken('1e-60')).toEqual({ units: 1n, scale: 60 });
    expect(parseNumberToken('9'.repeat(400))).toBeDefined();
  });

  it.each(['1e61', '1e-61', '1e400', '-2E-400', '1e9999', 'e5', '', '1e', '0x1', '+1', `${'9'.repeat(401)}`])(
    'refuses %s',
    (token) => {
      expect(parseNumberToken(token)).toBeUndefined();
    },
  );
});

describe('the short ways', () => {
  const numerals = fc.stringMatching(/^-?0{0,3}\d{0,17}(\.\d{0,6}0{0,3})?$/);
  const texts = fc.oneof(numerals, fc.stringMatching(/^[-+.0-9eE ]{0,6}$/), fc.constantFrom('1'.repeat(401)));

  it('find the same shortest text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const decimal = parseDecimalText(text);
        expect(shortestText(text)).toBe(decimal && shortestDecimal(decimal));
      }),
    );
  });

  it('count the same digits', () => {
    fc.assert(
      fc.property(numerals, (text) => {
        const decimal = parseDecimalText(text);
        if (decimal === undefined) return;
        expect(significantDigitsOf(shortestDecimal(decimal))).toBe(
          decimal.units === 0n ? 0 : significantDigits(decimal),
        );
      }),
    );
  });

  it('find the same text of a number with an exponent', () => {
    const tokens = fc.stringMatching(/^-?(0|[1-9]\d{0,3})(\.\d{1,4})?[eE][-+]?\d{1,2}$/);
    fc.assert(
      fc.property(tokens, (token) => {
        const decimal = parseNumberToken(token);
        expect(shortestOfExponent(token)).toBe(decimal && shortestDecimal(decimal));
      }),
    );
    expect(shortestOfExponent('12.5')).toBeUndefined();
    expect(shortestOfExponent('1e61')).toBeUndefined();
  });

  it('find the same units, or leave them to the long way', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 4 }), (text, scale) => {
        const units = shortUnits(text, scale);
        const decimal = parseDecimalText(text);
        const exact = decimal && rescale(decimal, scale);
        if (units !== undefined) expect(units).toBe(Number(exact));
        const isShort = /^-?\d{1,11}(\.\d{1,2})?$/.test(text);
        if (isShort && scale >= 2) expect(units).toBe(Number(exact));
      }),
    );
  });

  it('write the same text', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.integer({ min: 0, max: 4 }), (units, scale) => {
        expect(formatUnits(units, scale)).toBe(formatDecimal(BigInt(units), scale));
      }),
    );
    expect(formatUnits(-0, 2)).toBe('0.00');
    expect(formatUnits(-0, 0)).toBe('0');
  });

  it.each([
    ['12.5', 2, 1250],
    ['-0.05', 2, -5],
    ['12.34', 2, 1234],
    ['7', 0, 7],
    ['-0', 2, 0],
    ['123456789012345', 0, 123_456_789_012_345],
    ['12345678901234.5', 1, 123_456_789_012_345],
    ['1234567890123456', 0, undefined],
    ['123456789012345.6', 1, undefined],
    ['999999999999999', 4, undefined],
    ['12.345', 2, undefined],
    ...['', '-', '.5', '5.', '-.5', '1.2.3', '1/2', '1:2', '1..'].map(
      (text) => [text, 2, undefined] as const,
    ),
  ] as const)('count the units of "%s" with %d decimals as %p', (text, scale, units) => {
    expect(shortUnits(text, scale)).toBe(units);
  });

  it.each<readonly [text: string, shortest: string | undefined]>([
    ['0', '0'],
    ['-00.0', '0'],
    ['-012.50', '-12.5'],
    ['100.00', '100'],
    ['0.5', '0.5'],
    ['5', '5'],
    [`${'0'.repeat(399)}7`, '7'],
    ...['', '-', '.5', '5.', '-.5', '1.2.3', '1/2', '1:2', '0'.repeat(401)].map(
      (text) => [text, undefined] as const,
    ),
  ])('find the shortest text of "%s"', (text, shortest) => {
    expect(shortestText(text)).toBe(shortest);
  });

  it.each([
    ['1e2', '100'],
    ['12.5E-1', '1.25'],
    ['12.5e+1', '125'],
    ['-1.25e-3', '-0.00125'],
    ['125e-3', '0.125'],
    ['1e60', `1${'0'.repeat(60)}`],
    ['1e-60', `0.${'0'.repeat(59)}1`],
    [`1${'0'.repeat(397)}e0`, `1${'0'.repeat(397)}`],
    [`1${'0'.repeat(398)}e0`, undefined],
    ['1e-61', undefined],
    ['e5', undefined],
    ['125', undefined],
  ])('find the shortest text of %s, a number with an exponent', (token, shortest) => {
    expect(shortestOfExponent(token)).toBe(shortest);
  });

  it.each([
    ['0', 0],
    ['5', 1],
    ['-1700', 2],
    ['0.05', 1],
    ['10.01', 4],
    ['1.5', 2],
  ])('count the significant digits of %s', (text, digits) => {
    expect(significantDigitsOf(text)).toBe(digits);
  });
});
