import { anyJson, exactNumber } from '../testing/json.arbitrary';
import { fc } from '../testing/property';
import { sortedJson } from '../testing/sorted-json';
import { ExactNumber } from './exact-number';
import { JsonTextError, parseJsonText, stringifyJson } from './json-text';

describe('an exact number', () => {
  it('is an object with its token for JSON.stringify, also after its own text was made', () => {
    expect(stringifyJson([new ExactNumber('1e400')])).toBe('[1e400]');
    expect(JSON.stringify([new ExactNumber('1e400')])).toBe('[{"token":"1e400"}]');
  });
});

describe('parsing JSON text', () => {
  it('does what JSON.parse does with ordinary values', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJsonText(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('gives every value back from its text', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        const text = stringifyJson(value);
        expect(sortedJson(parseJsonText(text))).toBe(sortedJson(value));
        expect(stringifyJson(parseJsonText(text))).toBe(text);
      }),
    );
  });

  it('keeps the token of every number that a double does not hold, wherever it occurs', () => {
    const around = fc.constantFrom(
      (token: string) => token,
      (token: string) => `[1,${token}]`,
      (token: string) => `{"a":{"b": ${token} },"c":"${token}"}`,
      (token: string) => `\n[\t${token}\r,"\\\\",${token}]`,
    );
    fc.assert(
      fc.property(exactNumber, around, ({ token }, wrap) => {
        const text = wrap(token);
        expect(stringifyJson(parseJsonText(text)).replaceAll(' ', '')).toBe(
          text.replaceAll(/[ \n\t\r]/g, ''),
        );
      }),
    );
  });

  it.each([
    ['9007199254740993'],
    ['-9007199254740993'],
    ['12345678901234567.5'],
    ['0.1000000000000000055511151231257827'],
    ['1e400'],
    ['1e+400'],
    ['-1E-400'],
    ['1e-99999999999999999999'],
    ['999999999999999.999'],
  ])('keeps %s as it is', (token) => {
    expect(parseJsonText(token)).toEqual(new ExactNumber(token));
    expect(stringifyJson([new ExactNumber(token)])).toBe(`[${token}]`);
  });

  it.each([
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740992', 9_007_199_254_740_992],
    ['1.0000000000000000000', 1],
    ['12.500000000000000000', 12.5],
    ['1.00000000000000000e-5', 0.00001],
    ['0.000000000000000000010', 1e-20],
    ['0.300000000000000040', 0.1 + 0.2],
    ['1e-00000005', 0.00001],
    ['1.00000000000000000e5', 100_000],
    ['1e0000000001', 10],
    ['1e3', 1000],
    ['1E+2', 100],
    ['12.5e-1', 1.25],
    ['0.30000000000000004', 0.1 + 0.2],
    ['-0', -0],
    ['0e999999999999999999999', 0],
    ['5e-324', 5e-324],
  ])('reads %s as the number it is', (token, value) => {
    expect(parseJsonText(token)).toBe(value);
  });

  it('finds a number that a double does not hold, wherever it stands behind a shorter one', () => {
    const lost: string[] = [];
    for (let blanks = 0; blanks <= 16; blanks += 1) {
      for (let digits = 1; digits <= 16; digits += 1) {
        const text = `${' '.repeat(blanks)}[${'1'.repeat(digits)},9007199254740993]`;
        if (stringifyJson(parseJsonText(text)) !== text.replaceAll(/\s/g, '')) lost.push(text);
      }
    }
    expect(lost).toEqual([]);
    expect(parseJsonText('\n9007199254740993')).toEqual(new ExactNumber('9007199254740993'));
  });

  it('takes the last of two equal members, exact or not', () => {
    expect(parseJsonText('{"a":1e400,"a":1}')).toEqual({ a: 1 });
    expect(parseJsonText('{"a":1,"a":1e400}')).toEqual({ a: new ExactNumber('1e400') });
  });

  it('has __proto__ as an ordinary member', () => {
    const plain = parseJsonText('{"__proto__":{"polluted":true}}');
    const exact = parseJsonText('{"__proto__":{"polluted":true,"n":1e400}}');
    for (const value of [plain, exact]) {
      expect(Object.keys(value as object)).toEqual(['__proto__']);
      expect((value as { polluted?: boolean }).polluted).toBeUndefined();
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(stringifyJson(exact)).toBe('{"__proto__":{"polluted":true,"n":1e400}}');
  });

  it('leaves strings alone, also such as look like numbers', () => {
    const text =
      '{"a":"12345678901234567890","b":"1e400","c":"\\"1e400\\"","d":"\\\\","1e400":9007199254740993}';
    expect(stringifyJson(parseJsonText(text))).toBe(text);
    expect(parseJsonText('["\\u0001exact:","9007199254740993",1e400,"\\" 1e400\\""]')).toEqual([
      '\u0001exact:',
      '9007199254740993',
      new ExactNumber('1e400'),
      '" 1e400"',
    ]);
  });

  it.each([
    ['', 'the text ends too early or is not JSON'],
    ['{', undefined],
    ['{"secret":"hunter2",}', undefined],
    ["{'secret':1}", undefined],
    ['[1,]', undefined],
    ['01', undefined],
    ['1.', undefined],
    ['.5', undefined],
    ['+1', undefined],
    ['- 1', undefined],
    ['NaN', undefined],
    ['"a\nb"', undefined],
    ['12345678901234567890.', undefined],
    ['{12345678901234567890:"secret"}', undefined],
    ['{1e400:"secret"}', undefined],
    ['[12345678901234567890 12345678901234567890]', undefined],
    ['"secret"12345678901234567890', undefined],
    ['1e400e5', undefined],
    ['{ 1e400 \t:0}', undefined],
    ['[01e400]', undefined],
    ['[1e400,"open', undefined],
  ])('refuses %j and quotes nothing of it', (text, message) => {
    const parse = () => parseJsonText(text);
    expect(parse).toThrow(JsonTextError);
    expect(parse).toThrow(message ?? /^(not JSON at position \d+|the text ends too early or is not JSON)$/);
    expect(parse).not.toThrow(/secret|1234/);
  });

  it('says where a text stops being JSON, also behind an exact number', () => {
    expect(() => parseJsonText('{"a":1,}')).toThrow('not JSON at position 7');
    expect(() => parseJsonText('{"a":9007199254740993,}')).toThrow('not JSON at position 22');
    expect(() => parseJsonText('[9007199254740993}9007199254740993]')).toThrow(/position 17$/);
    expect(() => parseJsonText('[1 9007199254740993]')).toThrow(/position 3$/);
    expect(() => parseJsonText('[')).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) }));
  });

  it('refuses whatever JSON.parse refuses, and nothing else', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1e400',
      '12345678901234567890',
      '-',
      '.',
      '0',
      ' ',
      'e5',
      'null',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
        const text = parts.join('');
        const plain = succeeds(() => JSON.parse(text) as unknown);
        expect(succeeds(() => parseJsonText(text))).toBe(plain);
      }),
      { numRuns: 500 },
    );
  });

  it('takes 20,000 numbers that it has to keep as they are, and any number of others', () => {
    const list = (length: number, number: string) => Array.from({ length }, () => number).join(',');
    expect(parseJsonText(`[${list(20_000, '1e400')}]`)).toHaveLength(20_000);
    expect(() => parseJsonText(`[${list(20_001, '1e400')}]`)).toThrow(
      'more than 20000 numbers that no double holds as written',
    );
    for (const number of ['1', '1.5e3', '0.30000000000000004'])
      expect(parseJsonText(`[1e400,${list(20_000, number)}]`)).toHaveLength(20_001);
  });

  it('refuses a number of more than 2 MB', () => {
    const longest = '1'.repeat(2 * 1024 * 1024);
    expect(stringifyJson(parseJsonText(`[${longest}]`))).toBe(`[${longest}]`);
    expect(() => parseJsonText(`[${longest}1]`)).toThrow(new JsonTextError('a number is too long'));
  });
});

function succeeds(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonTextError) return false;
    throw error;
  }
}
