import { ExactNumber } from '../../json/exact-number';
import type { JsonValue } from '../../json/json-value';
import { shortDecimal } from '../../testing/canonical.arbitrary';
import { fc } from '../../testing/property';
import { attempt, type ValueContext } from '../codec';
import { booleanCodec, decimalCodec, integerCodec } from './number';

const context: ValueContext = { currency: undefined, localCurrency: 'USD' };
const text = decimalCodec('text');
const number = decimalCodec('number');
const either = decimalCodec('number or text');
const percent = decimalCodec('text', { percentSign: true });

describe('a decimal that is no money', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(shortDecimal(15), (value) => {
        for (const codec of [text, number, either]) {
          expect(codec.decode(codec.encode(value, context) ?? null, context)).toBe(value);
        }
      }),
    );
  });

  it.each<[string, JsonValue, string]>([
    ['quantity', '134.56789', '134.56789'],
    ['quantity', '1.0', '1'],
    ['quantity', '-0.00', '0'],
    ['share', '96.36%', '96.36'],
    ['share', '103.00', '103'],
    ['share', '10', '10'],
  ])('as text: a %s of %j is %s', (_, wire, expected) => {
    expect(percent.decode(wire, context)).toBe(expected);
  });

  it.each<[JsonValue, string]>([
    [7.5, '7.5'],
    [-0, '0'],
    [1e21, '1000000000000000000000'],
    [1e-7, '0.0000001'],
    [new ExactNumber('1.00000000000000000000'), '1'],
  ])('as a JSON number: %j is %s', (wire, expected) => {
    expect(number.decode(wire, context)).toBe(expected);
    expect(either.decode(wire, context)).toBe(expected);
  });

  it('has a percent sign only in a percentage', () => {
    expect(attempt(() => text.decode('96.36%', context))).toHaveProperty('problem');
    expect(attempt(() => percent.decode('%', context))).toHaveProperty('problem');
    expect(attempt(() => percent.decode('9%%', context))).toHaveProperty('problem');
  });

  it('does not pass through a double that would lose digits', () => {
    expect(attempt(() => number.decode(0.1 + 0.2, context))).toHaveProperty('problem');
    expect(attempt(() => number.decode(new ExactNumber('1e400'), context))).toHaveProperty('problem');
    expect(attempt(() => number.encode('0.1234567890123456', context))).toHaveProperty('problem');
    expect(text.encode('0.1234567890123456', context)).toBe('0.1234567890123456');
  });

  it.each([
    ['351 digits', `1${'0'.repeat(350)}`],
    ['62 digits', `-1${'0'.repeat(61)}`],
    ['351 decimals', `0.${'0'.repeat(350)}1`],
    ['61 decimals', `0.${'0'.repeat(60)}1`],
  ])('of %s has no JSON number', (_, value) => {
    for (const codec of [number, either]) {
      const problem = expect.stringMatching(/ is too large or too small a number$/);
      expect(attempt(() => codec.encode(value, context))).toHaveProperty('problem', problem);
    }
    expect(text.encode(value, context)).toBe(value);
  });

  it('has a JSON number up to sixty places', () => {
    for (const value of [`1${'0'.repeat(60)}`, `-0.${'0'.repeat(58)}25`])
      expect(number.decode(number.encode(value, context) ?? null, context)).toBe(value);
  });

  it('is nothing as null, and zero where there is no null', () => {
    expect([text, number, either].map((codec) => codec.encode(null, context))).toEqual([null, 0, null]);
    expect([text, number, either].map((codec) => codec.decode(null, context))).toEqual([null, null, null]);
  });
});

describe('an integer', () => {
  it('may be text', () => {
    expect(integerCodec.decode('30', context)).toBe(30);
    expect(integerCodec.decode(30, context)).toBe(30);
    expect(integerCodec.decode(null, context)).toBeNull();
  });

  it.each<JsonValue>([
    '',
    '3.0',
    0.5,
    '9007199254740993',
    2 ** 53,
    new ExactNumber('9007199254740993'),
    true,
    [],
  ])('is not %j', (wire) => {
    expect(attempt(() => integerCodec.decode(wire, context))).toHaveProperty('problem');
  });
});

describe('a truth value', () => {
  it.each<JsonValue>(['true', 0, 1, '', []])('is not %j', (wire) => {
    expect(attempt(() => booleanCodec.decode(wire, context))).toHaveProperty('problem');
  });
});
