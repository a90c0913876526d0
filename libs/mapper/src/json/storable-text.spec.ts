import { fc } from '../testing/property';
import { cutText, findUnstorableText, isStorableText, shortened, storableText } from './storable-text';

describe('text that can be stored', () => {
  it('is all of it without NUL and with whole surrogate pairs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // UTF-8 has no lone surrogates either: they come back as U+FFFD.
        const isWhole = Buffer.from(text).toString() === text;
        expect(isStorableText(text)).toBe(isWhole && !text.includes('\0'));
      }),
    );
  });

  it.each([
    ['\0', false],
    ['a\0b', false],
    ['\ud83d', false],
    ['\udc4d', false],
    ['\udc4d\ud83d', false],
    ['👍', true],
    ['\ud83d\udc4d\ud83d', false],
    ['', true],
    ['\u0001\ufffe', true],
  ])('%j: %s', (text, expected) => {
    expect(isStorableText(text)).toBe(expected);
  });

  it('has U+FFFD in the place of what cannot be stored', () => {
    expect(storableText('a\0b 👍 \ud83d!\udc4d')).toBe('a\ufffdb 👍 \ufffd!\ufffd');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const storable = storableText(text);
        expect([isStorableText(storable), storable.length]).toEqual([true, text.length]);
        expect(storable === text).toBe(isStorableText(text));
      }),
    );
  });

  it('is looked for in values and member names, and found by its path', () => {
    expect(findUnstorableText({ a: 'x', b: [{ c: 'y' }], d: 1, e: null }, 'data')).toBeUndefined();
    expect(findUnstorableText({ notes: 'a\0' }, 'data')).toBe('data.notes');
    expect(findUnstorableText({ lines: ['x', { text: '\ud83d' }] }, 'data')).toBe('data.lines[1].text');
    expect(findUnstorableText({ inner: { 'a\0': 1 } }, 'data')).toBe('data.inner (a member name)');
    expect(findUnstorableText('\0', 'data')).toBe('data');
    expect(findUnstorableText({ a: null, b: 'x', c: 1, d: ['y'], e: '\0' }, 'data')).toBe('data.e');
  });
});

describe('the beginning of a text', () => {
  it('has at most so many characters, and no half of one', () => {
    expect([0, 1, 2, 3, 4].map((length) => cutText('a👍b', length))).toEqual(['', 'a', 'a', 'a👍', 'a👍b']);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, length) => {
        const beginning = cutText(text, length);
        expect(text.startsWith(beginning)).toBe(true);
        expect(Buffer.from(beginning).toString()).toBe(beginning);
        expect(Math.min(text.length, length) - beginning.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('ends in a sign where something was left out', () => {
    expect([1, 2, 3, 4].map((longest) => shortened('a👍b', longest))).toEqual(['…', 'a…', 'a…', 'a👍b']);
  });
});
