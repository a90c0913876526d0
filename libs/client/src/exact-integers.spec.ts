import { fc } from '../../mapper/src/testing/property';
import { parseExactly } from './exact-integers';

describe('parseExactly', () => {
  it('keeps every digit of an integer', () => {
    expect(parseExactly('{"a":[9007199254740993,-12345678901234567890,9007199254740991]}')).toEqual({
      a: [9007199254740993n, -12345678901234567890n, 9007199254740991],
    });
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }), (value) => {
        const read = parseExactly(`[${value},"${value}"]`);
        const isSafe = Number.isSafeInteger(Number(value));
        expect(read).toEqual([isSafe ? Number(value) : value, String(value)]);
      }),
    );
  });

  it('reads everything else as JSON.parse does, also strings that look like a number', () => {
    fc.assert(
      fc.property(fc.json(), (json) => {
        const text = `{"long":"1234567890123456","value":${json}}`;
        const read = JSON.stringify(parseExactly(text), (_name, value: unknown) =>
          typeof value === 'bigint' ? Number(value) : value,
        );
        expect(read).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
    expect(() => parseExactly('[1234567890123456789')).toThrow(SyntaxError);
  });
});
