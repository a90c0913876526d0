import { unknownMembers, unknownName } from '../testing/json.arbitrary';
import { fc } from '../testing/property';
import { ExactNumber } from './exact-number';
import { valueAt, withValueAt, type JsonPath } from './json-path';
import type { JsonObject } from './json-value';
import { PathTree } from './path-tree';

const paths = fc.array(unknownName, { minLength: 1, maxLength: 3 });

function treeOf(...all: readonly JsonPath[]): PathTree {
  const tree = new PathTree();
  for (const path of all) tree.add(path);
  return tree;
}

function without(object: JsonObject, ...all: readonly JsonPath[]): JsonObject {
  const omitted = all.map(() => true);
  return treeOf(...all).without(object, omitted);
}

describe('several paths into a JSON object', () => {
  it('lead to what each of them alone leads to', () => {
    fc.assert(
      fc.property(unknownMembers, fc.array(paths, { maxLength: 6 }), (object, all) => {
        const holding = all.slice(1).reduce((held, path) => withValueAt(held, path, 'there'), object);
        const tree = new PathTree();
        const indexes = all.map((path) => tree.add(path));
        const values = tree.valuesIn(holding);
        expect(values).toHaveLength(tree.size);
        expect(indexes.map((index) => values[index])).toEqual(all.map((path) => valueAt(holding, path)));
      }),
    );
  });

  it('have one index when they are equal', () => {
    const tree = new PathTree();
    expect([tree.add(['a']), tree.add(['a', 'b']), tree.add(['a']), tree.size]).toEqual([0, 1, 0, 2]);
    expect(() => tree.add([])).toThrow(new RangeError('a path has one member or more'));
  });

  it('leave nothing of an earlier look in a list that is used again', () => {
    const tree = treeOf(['a'], ['b']);
    const values = tree.valuesIn({ a: 1, b: 2 });
    expect(tree.valuesIn({ b: 3 }, values)).toEqual([undefined, 3]);
  });

  it('stop at what is no object, and at what is inherited', () => {
    const tree = treeOf(['a', '0'], ['a', 'length'], ['a', 'token'], ['constructor', 'name'], ['__proto__']);
    for (const a of [[1], 'text', new ExactNumber('1e400'), null]) {
      expect(tree.valuesIn({ a }).every((value) => value === undefined)).toBe(true);
    }
  });

  it('find a whole object where they end', () => {
    expect(treeOf(['a']).valuesIn({ a: { b: 1 } })).toEqual([{ b: 1 }]);
  });

  it('find nothing where something was taken away', () => {
    fc.assert(
      fc.property(unknownMembers, paths, (object, path) => {
        expect(valueAt(without(object, path), path)).toBeUndefined();
      }),
    );
  });

  it('take objects away that become empty, and no others', () => {
    expect(without({ a: { b: { c: 1 } }, d: {} }, ['a', 'b', 'c'])).toEqual({ d: {} });
    expect(without({ a: { b: 1, c: 2 } }, ['a', 'b'])).toEqual({ a: { c: 2 } });
    expect(without({ a: {}, e: 4 }, ['a', 'b'], ['e'])).toEqual({ a: {} });
    const object: JsonObject = { a: { b: 1 } };
    expect(without(object, ['a', 'x'])).toBe(object);
    expect(without(object, ['x'])).toBe(object);
    expect(without(object)).toBe(object);
    const many = { a: 1, b: { c: 2, d: 3 }, e: 4 };
    expect(without(many, ['a'], ['b', 'c'], ['b', 'd'])).toEqual({ e: 4 });
    expect(without({ a: { b: 1, c: 2 }, e: 4 }, ['a', 'b'], ['a'])).toEqual({ e: 4 });
  });

  it('keep __proto__ as the ordinary member that it is', () => {
    const object = JSON.parse('{"__proto__":{"x":1},"a":2}') as JsonObject;
    expect(JSON.stringify(without(object, ['a']))).toBe('{"__proto__":{"x":1}}');
  });
});
