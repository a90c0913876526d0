import { unknownMembers, unknownName } from '../testing/json.arbitrary';
import { fc } from '../testing/property';
import { sortedJson } from '../testing/sorted-json';
import { ExactNumber } from './exact-number';
import {
  pathFrom,
  samePath,
  valueAt,
  valueNamed,
  withoutValueAt,
  withValueAt,
  withValuesAt,
} from './json-path';

const paths = fc.array(unknownName, { minLength: 1, maxLength: 3 });

describe('a path into a JSON object', () => {
  it('finds a value that was put there, and leaves the original object unchanged', () => {
    fc.assert(
      fc.property(unknownMembers, paths, (object, path) => {
        const before = sortedJson(object);
        const changed = withValueAt(object, path, 'new');
        expect(valueAt(changed, path)).toBe('new');
        expect(sortedJson(object)).toBe(before);
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

  it('finds what a name in a message leads to, also in a list', () => {
    const object = { a: { b: 1 }, lines: [{ c: { d: 2 } }, 'x'], 'e[0]': 3 };
    expect(['a.b', 'lines[0].c.d', 'lines[1]', 'e[0]'].map((name) => valueNamed(object, name))).toEqual([
      1,
      2,
      'x',
      3,
    ]);
    for (const name of ['', 'a[0]', 'lines[2]', 'lines[2].c', 'lines[1].length', 'lines[0].', 'none[0].c'])
      expect(valueNamed(object, name)).toBeUndefined();
  });

  it('is the same as one of the same members, in the same order', () => {
    const texts = ['a', 'a.b', 'b.a', 'a.c', 'a.b.c', 'c.b'];
    for (const one of texts)
      for (const other of texts) expect(samePath(pathFrom(one), pathFrom(other))).toBe(one === other);
  });

  it('takes its value away, and leaves all others as they are', () => {
    const object = { a: { b: 1, c: { d: 2 } }, e: [3] };
    expect(withoutValueAt(object, ['a', 'b'])).toEqual({ a: { c: { d: 2 } }, e: [3] });
    expect(withoutValueAt(object, ['a', 'c', 'd'])).toEqual({ a: { b: 1, c: {} }, e: [3] });
    expect(withoutValueAt(object, ['a'])).toEqual({ e: [3] });
    expect(withoutValueAt(object, ['e'])).toEqual({ a: { b: 1, c: { d: 2 } } });
    expect(withoutValueAt(object, ['a', 'b']).e).toBe(object.e);
    for (const path of [[], ['x'], ['a', 'x'], ['e', '0'], ['a', 'b', 'c']])
      expect(withoutValueAt(object, path)).toBe(object);
    expect(object).toEqual({ a: { b: 1, c: { d: 2 } }, e: [3] });
  });

  it('without a member leads nowhere', () => {
    const object = { a: 1 };
    expect(withValueAt(object, [], 2)).toBe(object);
    expect(withValuesAt(object, [{ path: [], value: 2 }])).toEqual(object);
    expect(Object.keys(withValuesAt(object, [{ path: [], value: 2 }]))).toEqual(['a']);
  });

  it('replaces a value in the way', () => {
    expect(withValueAt({ a: null }, ['a', 'b'], 1)).toEqual({ a: { b: 1 } });
    expect(withValueAt({ a: [1] }, ['a', 'b'], 1)).toEqual({ a: { b: 1 } });
  });

  it('sets several values at once, and copies what they go into', () => {
    const object = { a: { b: 1, x: 5 }, d: { e: 1 } };
    const changed = withValuesAt(object, [
      { path: ['a', 'c'], value: 2 },
      { path: ['a', 'b'], value: 3 },
      { path: ['__proto__'], value: 4 },
    ]);
    expect(sortedJson(changed)).toBe('{"__proto__":4,"a":{"b":3,"c":2,"x":5},"d":{"e":1}}');
    expect(object).toEqual({ a: { b: 1, x: 5 }, d: { e: 1 } });
    expect(changed.d).toBe(object.d);
  });
});
