import { fc } from '../../mapper/src/testing/property';
import { hrefOf, placeOf } from './location';

describe('a place', () => {
  it.each([
    ['', '/', ''],
    ['#', '/', ''],
    ['#/', '/', ''],
    ['#/cases', '/cases', ''],
    ['#cases', '/cases', ''],
    ['#/cases?kind=only_on', '/cases', 'kind=only_on'],
    ['#/cases?q=a?b', '/cases', 'q=a?b'],
  ])('%j is %j with %j', (hash, path, search) => {
    expect(placeOf(hash)).toEqual({ path, search });
  });

  it('comes back with its query, whatever that holds', () => {
    const values = fc.dictionary(
      fc.stringMatching(/^[a-z_]+$/),
      fc.string({ unit: 'grapheme', minLength: 1 }),
    );
    fc.assert(
      fc.property(values, (query) => {
        const { path, search } = placeOf(`#${hrefOf('/cases', query)}`);
        expect(path).toBe('/cases');
        expect(Object.fromEntries(new URLSearchParams(search))).toEqual({ ...query });
      }),
    );
  });

  it('has no member without a value', () => {
    expect(hrefOf('/', { a: undefined, b: '' })).toBe('/');
  });
});
