import { fc } from '../testing/property';
import {
  formatDecimal,
  parseDecimalText,
  parseNumberToken,
  rescale,
  shortestDecimal,
  significantDigits,
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
  });

  it.each(['1e61', '1e-61', '1e400', '-2E-400', '1e9999', 'e5', '', '1e', '0x1', '+1', `${'9'.repeat(401)}`])(
    'refuses %s',
    (token) => {
      expect(parseNumberToken(token)).toBeUndefined();
    },
  );
});
