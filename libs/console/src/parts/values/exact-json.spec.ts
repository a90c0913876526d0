import { fc } from '../../../../mapper/src/testing/property';
import { ExactNumber, inexactNumbers, readExactly, readRecord, writeExactly } from './exact-json';

describe('inexactNumbers', () => {
  it.each([
    ['{"id":90071992547409.91}', ['90071992547409.91']],
    ['{"id":1234567890123456789}', ['1234567890123456789']],
    ['{"id":-1234567890123456}', ['-1234567890123456']],
    ['{"a":123456789012345,"b":1.10,"c":10000000000000000000000,"d":0.000000000000000001}', []],
    ['{"id":"1234567890123456789"}', []],
    ['{"a":"\\"1234567890123456789"}', []],
    ['["x",1234567890123456,{"y":1e5}]', ['1234567890123456']],
  ])('in %s are %j', (json, texts) => {
    expect(inexactNumbers(json).map(({ text }) => text)).toEqual(texts);
    for (const { text, at } of inexactNumbers(json)) expect(json.slice(at, at + text.length)).toBe(text);
  });
});

describe('readRecord', () => {
  it('gives a record, or says why there is none', () => {
    expect(readRecord('{"id":1}')).toEqual({ record: { id: 1 } });
    expect(readRecord('{')).toMatchObject({ problem: expect.stringMatching(/^This is not JSON: /) });
    expect(readRecord('[1]')).toMatchObject({ problem: expect.stringMatching(/object/) });
    expect(readRecord('null')).toMatchObject({ problem: expect.stringMatching(/object/) });
    expect(readRecord('{"id":1234567890123456789}')).toMatchObject({ at: 6 });
  });
});

describe('readExactly', () => {
  it('keeps numbers as they are written, and strings that look like them as strings', () => {
    expect(readExactly('{"a":90071992547409.91,"b":"1.10","n":[1.10,-0,1e5,true,null]}')).toEqual(
      new Map<string, unknown>([
        ['a', new ExactNumber('90071992547409.91')],
        ['b', '1.10'],
        ['n', [new ExactNumber('1.10'), new ExactNumber('-0'), new ExactNumber('1e5'), true, null]],
      ]),
    );
  });

  it('takes any name of a member for a name', () => {
    expect(readExactly('{"__proto__":1,"":2}')).toEqual(
      new Map([
        ['__proto__', new ExactNumber('1')],
        ['', new ExactNumber('2')],
      ]),
    );
  });

  it.each(['{', '', '{"a":}', 'x', '1 2'])('refuses %j', (text) => {
    expect(() => readExactly(text)).toThrow(SyntaxError);
  });
});

describe('writeExactly', () => {
  it('says of any JSON what JSON.stringify says', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(writeExactly(readExactly(JSON.stringify(value)))).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('says numbers as they came', () => {
    expect(writeExactly(readExactly('{"id":1234567890123456789,"amount":1.10,"e":[],"o":{}}'))).toBe(
      '{\n  "id": 1234567890123456789,\n  "amount": 1.10,\n  "e": [],\n  "o": {}\n}',
    );
  });
});
