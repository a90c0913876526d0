import { fc } from '../../../libs/mapper/src/testing/property';
import { Cursors, LONGEST_CURSOR, nextLink } from './paging';
import { isCount, isText } from './sort-keys';

type At = readonly [string, number];
const cursors = new Cursors<At>('things', [isText, isCount]);
const customer = 'e3b0c442-98fc-4c14-9afb-f4c8996fb924';

describe('a cursor', () => {
  it('comes back as the position it was made of, with the same query in any order', () => {
    const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
    fc.assert(
      fc.property(text, fc.maxSafeNat(), fc.dictionary(fc.string(), text), (key, at, query) => {
        const cursor = cursors.encode(customer, { ...query, more: undefined }, [key, at]);
        expect(cursor).toMatch(/^[\w-]+$/);
        const turned = Object.fromEntries(Object.entries(query).toReversed());
        expect(cursors.decode(customer, turned, cursor)).toEqual([key, at]);
      }),
    );
  });

  it('goes on with no other query, customer or list', () => {
    const cursor = cursors.encode(customer, { kind: 'ambiguous', limit: undefined }, ['a', 1]);
    expect(() => cursors.decode(customer, { kind: 'disagreement' }, cursor)).toThrow(
      'Invalid input: cursor belongs to a query with other parameters; start again without it',
    );
    expect(() => cursors.decode(customer, {}, cursor)).toThrow('other parameters');
    expect(() => cursors.decode('another', { kind: 'ambiguous' }, cursor)).toThrow('other parameters');
    const others = new Cursors<At>('others', [isText, isCount]);
    expect(() => others.decode(customer, { kind: 'ambiguous' }, cursor)).toThrow('other parameters');
  });

  const ofText = (text: string) => Buffer.from(text).toString('base64url');
  /** A cursor with a position that only a list with looser checks would issue. */
  const loose = (...position: readonly unknown[]) => {
    const own: unknown = JSON.parse(
      Buffer.from(cursors.encode(customer, {}, ['a', 1]), 'base64url').toString(),
    );
    return ofText(JSON.stringify(Array.isArray(own) ? [own[0], own[1], position] : own));
  };
  it.each([
    ['nothing', ''],
    ['no text of a cursor', 'a b'],
    ['no JSON', ofText('[1,')],
    ['no list', ofText('{"a":1}')],
    ['another version', ofText('[0,"x",["a",1]]')],
    ['a position of another form', loose('a')],
    ['a position with too many keys', loose('a', 1, 1)],
    ['a key of another type', loose(1, 'a')],
    ['text that no database takes', loose('a\0', 1)],
    ['half of a pair', loose('\ud800', 1)],
    ['too much', 'a'.repeat(LONGEST_CURSOR + 1)],
    ['lists without end', ofText('['.repeat(5_000))],
  ])('is refused when it is %s', (_name, cursor) => {
    expect(() => cursors.decode(customer, {}, cursor)).toThrow(
      expect.objectContaining({
        type: 'VALIDATION_ERROR',
        message: 'Invalid input: cursor is not one that this service gave out',
      }),
    );
  });
});

describe('the link to the next page', () => {
  it.each([
    ['/api/v1/x', '</api/v1/x?cursor=n>; rel="next"'],
    ['/api/v1/x?a=1&cursor=o&b=%22', '</api/v1/x?a=1&b=%22&cursor=n>; rel="next"'],
    ['/api/v1/x?%63ursor=o&a=1&cursors=2&%=3', '</api/v1/x?a=1&cursors=2&%=3&cursor=n>; rel="next"'],
    ['/api/v1/x?cursor&a=1?2', '</api/v1/x?a=1?2&cursor=n>; rel="next"'],
    ['/api/v1/x?a=">\\;é', '</api/v1/x?a=%22%3E%5C;%C3%A9&cursor=n>; rel="next"'],
  ])('of %s is %s', (target, link) => {
    expect(nextLink(target, 'n')).toBe(link);
  });
});
