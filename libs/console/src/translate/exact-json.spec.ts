import { inexactNumbers, readRecord } from './exact-json';

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
