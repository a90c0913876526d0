import assert from 'node:assert/strict';
import { ApiError } from '../errors/api-error';
import { parseJsonBody } from './json-body';

const parse = (text: string) => parseJsonBody(Buffer.from(text));
const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

function refusalOf(bytes: Buffer | string): string {
  try {
    parseJsonBody(Buffer.from(bytes));
  } catch (error) {
    if (error instanceof ApiError && error.type === 'VALIDATION_ERROR' && error.status === 400)
      return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('parseJsonBody', () => {
  it('takes no body for an object without members', () => {
    expect(parse('')).toEqual({});
  });

  it('reads a JSON object, also behind a byte order mark', () => {
    expect(parse('{"a":[1,"ü",null]}')).toEqual({ a: [1, 'ü', null] });
    expect(parse('\uFEFF {"a":1}')).toEqual({ a: 1 });
  });

  it('keeps members named like inherited ones as members', () => {
    const body = parse('{"__proto__":{"polluted":true},"constructor":1}');
    assert.deepEqual(Object.keys(body), ['__proto__', 'constructor']);
    assert.equal(Object.getPrototypeOf(body), Object.prototype);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });

  it('takes 100 levels and refuses 101', () => {
    expect(parse(nested(100))).toHaveProperty('a');
    expect(refusalOf(nested(101))).toBe('Invalid input: the body nests deeper than 100 levels');
    expect(refusalOf('['.repeat(50_000))).toBe('Invalid input: the body nests deeper than 100 levels');
  });

  it('takes 40,000 objects and lists and refuses more', () => {
    const lists = (count: number) => `{"a":[${Array.from({ length: count - 2 }, () => '[]').join(',')}]}`;
    expect(parse(lists(40_000)).a).toHaveLength(39_998);
    expect(refusalOf(lists(40_001))).toBe('Invalid input: the body has more than 40000 objects and lists');
  });

  it('takes 10,000 different names and refuses more', () => {
    const members = (count: number) =>
      `{${Array.from({ length: count }, (_, index) => `"m${index}":1`).join(',')}}`;
    expect(Object.keys(parse(members(10_000)))).toHaveLength(10_000);
    expect(refusalOf(members(10_001))).toBe(
      'Invalid input: the body has more than 10000 different names of members',
    );
  });

  it.each(['[]', '[{}]', '"text"', '1', 'true', 'null', '12345678901234567890.5'])(
    'refuses %s, which is no object',
    (text) => {
      expect(refusalOf(text)).toBe('Invalid input: the body must be a JSON object');
    },
  );

  it.each([
    '{',
    '{"a":}',
    "{'a':1}",
    '{"a":1,}',
    '{"a":NaN}',
    'platform=platform_a',
    '{}{}',
    ' ',
    '\0',
    '{"a":"\u0001"}',
  ])('refuses %j, which is no JSON', (text) => {
    expect(refusalOf(text)).toMatch(/^Invalid input: the body is not JSON/);
  });

  it.each([
    ['a lone continuation byte', Buffer.from([0x7b, 0x22, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['half a surrogate pair in bytes', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Buffer.from('\uFEFF{"a":1}', 'utf16le')],
  ])('refuses %s', (_what, bytes) => {
    expect(refusalOf(bytes)).toBe('Invalid input: the body is not UTF-8');
  });
});
