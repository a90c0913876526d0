import { fc } from '../../libs/mapper/src/testing/property';
import { decodeCursor, encodeCursor, LONGEST_CURSOR, nextLink } from './paging';

type At = readonly [string, number | null];
const isAt = (position: readonly unknown[]): position is At =>
  position.length === 2 &&
  typeof position[0] === 'string' &&
  (position[1] === null || typeof position[1] === 'number');

describe('a cursor', () => {
  it('comes back as the position it was made of, with the same query in any order', () => {
    const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\0', ''));
    fc.assert(
      fc.property(
        text,
        fc.option(fc.maxSafeInteger()),
        fc.dictionary(fc.string(), text),
        (key, at, query) => {
          const cursor = encodeCursor({ ...query, more: undefined }, [key, at]);
          expect(cursor).toMatch(/^[\w-]+$/);
          const turned = Object.fromEntries(Object.entries(query).toReversed());
          expect(decodeCursor(cursor, turned, isAt)).toEqual([key, Object.is(at, -0) ? 0 : at]);
        },
      ),
    );
  });

  it('goes on with no other query', () => {
    const cursor = encodeCursor({ kind: 'ambiguous', limit: undefined }, ['a', 1]);
    expect(() => decodeCursor(cursor, { kind: 'disagreement' }, isAt)).toThrow(
      'Invalid input: cursor belongs to a query with other parameters; start again without it',
    );
    expect(() => decodeCursor(cursor, {}, isAt)).toThrow('other parameters');
  });

  const ofText = (text: string) => Buffer.from(text).toString('base64url');
  it.each([
    ['nothing', ''],
    ['no text of a cursor', 'a b'],
    ['no JSON', ofText('[1,')],
    ['no list', ofText('{"a":1}')],
    ['another version', ofText('[0,"x",["a",1]]')],
    ['a position of another form', encodeCursor({}, ['a'])],
    ['text that no database takes', encodeCursor({}, ['a\0', 1])],
    ['half of a pair', encodeCursor({}, ['\ud800', 1])],
    ['too much', 'a'.repeat(LONGEST_CURSOR + 1)],
    ['lists without end', ofText('['.repeat(5_000))],
  ])('is refused when it is %s', (_name, cursor) => {
    expect(() => decodeCursor(cursor, {}, isAt)).toThrow(
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
    ['/api/v1/x?cursor&a=1?2', '</api/v1/x?a=1?2&cursor=n>; rel="next"'],
    ['/api/v1/x?a=">\\;é', '</api/v1/x?a=%22%3E%5C;%C3%A9&cursor=n>; rel="next"'],
  ])('of %s is %s', (target, link) => {
    expect(nextLink(target, 'n')).toBe(link);
  });
});
