import { fc } from '../testing/property';
import { ExactNumber } from '../json/exact-number';
import { parseJsonText, stringifyJson } from '../json/json-text';
import { shortestDecimal } from './decimal-text';
import { decimalIn, decimalOf, numberOf } from './json-number';

const decimals = fc.record({
  units: fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }),
  scale: fc.integer({ min: 0, max: 60 }),
});

describe('a decimal as a JSON number', () => {
  it('has exactly its value, also on the wire and back', () => {
    fc.assert(
      fc.property(decimals, (decimal) => {
        const number = numberOf(decimal);
        const [read] = parseJsonText(stringifyJson([number])) as readonly [number | ExactNumber];
        for (const one of [number, read]) {
          const again = decimalOf(one);
          expect(again && shortestDecimal(again)).toBe(shortestDecimal(decimal));
        }
      }),
    );
  });

  it.each([
    [0n, 0, '0'],
    [-0n, 2, '0'],
    [-100n, 2, '-1'],
    [1n, 7, '0.0000001'],
    [10n ** 21n, 0, `1${'0'.repeat(21)}`],
    [12_345_678_901_234_567n, 3, '12345678901234.567'],
    [10n ** 398n, 0, `1${'0'.repeat(398)}`],
    [1n, 390, `0.${'0'.repeat(389)}1`],
  ])('of %d units and %d decimals is written without an exponent', (units, scale, text) => {
    expect(stringifyJson(numberOf({ units, scale }))).toBe(text);
  });

  it('keeps the digits that a double would lose', () => {
    const token = new ExactNumber('12345678901234567.89');
    const decimal = decimalOf(token);
    expect(decimal && numberOf(decimal)).toEqual(token);
    expect(decimalIn(token)).toEqual(decimal);
  });

  it('is read from text as well, where a platform writes it so', () => {
    expect(decimalIn(' 12.50 ')).toEqual({ units: 1250n, scale: 2 });
    expect(decimalIn(12.5)).toEqual({ units: 125n, scale: 1 });
    for (const none of ['', 'abc', '1e3', null, undefined, true]) expect(decimalIn(none)).toBeUndefined();
  });

  it('is a double where that says the same', () => {
    expect(numberOf({ units: 1250n, scale: 2 })).toBe(12.5);
    expect(numberOf({ units: 170_050n, scale: 2 })).toBe(1700.5);
    expect(Object.is(numberOf({ units: 0n, scale: 2 }), 0)).toBe(true);
  });

  it.each([['1'], ['12'], [null], [undefined], [true]])('is not %p', (value) => {
    expect(decimalOf(value)).toBeUndefined();
  });
});
