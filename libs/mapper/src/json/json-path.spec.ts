import { unknownMembers, unknownName } from '../testing/json.arbitrary';
import { fc } from '../testing/property';
import { sortedJson } from '../testing/sorted-json';
import { ExactNumber } from './exact-number';
import { valueAt, withoutValuesAt, withValueAt } from './json-path';
import type { JsonObject } from './json-value';

const paths = fc.array(unknownName, { minLength: 1, maxLength: 3 });

describe('a path into a JSON object', () => {
  it('finds what was put there, and leaves the object it was put into alone', () => {
    fc.assert(
      fc.property(unknownMembers, paths, (object, path) => {
        const before = sortedJson(object);
        const changed = withValueAt(object, path, 'new');
        expect(valueAt(changed, path)).toBe('new');
        expect(sortedJson(object)).toBe(before);
      }),
    );
  });

  it('finds nothing where something was taken away', () => {
    fc.assert(
      fc.property(unknownMembers, paths, (object, path) => {
        expect(valueAt(withoutValuesAt(object, [path]), path)).toBeUndefined();
      }),
    );
  });

  it('stops at what is no object', () => {
    expect(valueAt({ a: [1] }, ['a', '0'])).toBeUndefined();
    expect(valueAt({ a: 'text' }, ['a', 'length'])).toBeUndefined();
    expect(valueAt({ a: new ExactNumber('1e400') }, ['a', 'token'])).toBeUndefined();
    expect(valueAt({}, ['constructor', 'name'])).toBeUndefined();
    expect(valueAt({ a: null }, ['a', 'b'])).toBeUndefined();
  });

  it('takes objects away that become empty, and no others', () => {
    expect(withoutValuesAt({ a: { b: { c: 1 } }, d: {} }, [['a', 'b', 'c']])).toEqual({ d: {} });
    expect(withoutValuesAt({ a: { b: 1, c: 2 } }, [['a', 'b']])).toEqual({ a: { c: 2 } });
    const object: JsonObject = { a: { b: 1 } };
    expect(withoutValuesAt(object, [['a', 'x']])).toBe(object);
    expect(withoutValuesAt(object, [['x']])).toBe(object);
    expect(withoutValuesAt(object, [[]])).toBe(object);
    expect(withoutValuesAt({ a: 1, b: { c: 2, d: 3 }, e: 4 }, [['a'], ['b', 'c'], ['b', 'd']])).toEqual({
      e: 4,
    });
  });

  it('replaces what is in the way', () => {
    expect(withValueAt({ a: null }, ['a', 'b'], 1)).toEqual({ a: { b: 1 } });
    expect(withValueAt({ a: [1] }, ['a', 'b'], 1)).toEqual({ a: { b: 1 } });
  });
});
