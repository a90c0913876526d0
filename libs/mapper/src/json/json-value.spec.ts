import { anyJson } from '../testing/json.arbitrary';
import { fc } from '../testing/property';
import { sortedJson } from '../testing/sorted-json';
import { ExactNumber } from './exact-number';
import {
  isJsonObject,
  ownMember,
  ownObject,
  ownText,
  sameJson,
  setMember,
  type JsonValue,
} from './json-value';

describe('two JSON values', () => {
  it('are the same when their texts are, whatever the order of members', () => {
    fc.assert(
      fc.property(anyJson, anyJson, (left, right) => {
        expect(sameJson(left, right)).toBe(sortedJson(left) === sortedJson(right));
        expect(sameJson(left, reversed(left))).toBe(true);
      }),
    );
  });

  it.each<[JsonValue | undefined, JsonValue | undefined, boolean]>([
    [0, -0, true],
    [1, '1', false],
    [null, undefined, false],
    [undefined, undefined, true],
    [[], {}, false],
    [[1], { 0: 1 }, false],
    [[1], { 0: 1, length: 1 }, false],
    [[1, 2], [2, 1], false],
    [[1, [2]], [1, [2]], true],
    [[1, 2], [1], false],
    [[], null, false],
    [{}, null, false],
    [{}, 1, false],
    [{}, '', false],
    [{ a: 1 }, { a: 2 }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: null }, { b: null }, false],
    [new ExactNumber('1e400'), new ExactNumber('1e400'), true],
    [new ExactNumber('1e400'), new ExactNumber('1e401'), false],
    [new ExactNumber('1e400'), { token: '1e400' }, false],
    [{ toString: 1 }, {}, false],
    [{}, JSON.parse('{"__proto__":{}}') as JsonValue, false],
  ])('%j and %j: %s', (left, right, expected) => {
    expect(sameJson(left, right)).toBe(expected);
    expect(sameJson(right, left)).toBe(expected);
  });
});

describe('a JSON object', () => {
  it('is neither a list nor null nor an exact number', () => {
    expect([{}, [], null, new ExactNumber('1'), 'x', 1, undefined].map(isJsonObject)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('has its own members only', () => {
    expect(ownMember({}, 'constructor')).toBeUndefined();
    expect(ownMember({}, '__proto__')).toBeUndefined();
    const object: Record<string, JsonValue> = {};
    setMember(object, '__proto__', 1);
    setMember(object, '__proto__', { polluted: true });
    setMember(object, 'a', 1);
    expect(ownMember(object, '__proto__')).toEqual({ polluted: true });
    expect(JSON.stringify(object)).toBe('{"__proto__":{"polluted":true},"a":1}');
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
    delete object.__proto__;
    expect(Object.keys(object)).toEqual(['a']);
  });

  it('has text and objects only where they are', () => {
    const object = { text: 'x', number: 1, inner: { a: 1 }, list: [1] };
    expect(['text', 'number', 'constructor'].map((name) => ownText(object, name))).toEqual([
      'x',
      undefined,
      undefined,
    ]);
    expect(['inner', 'list', 'none'].map((name) => ownObject(object, name))).toEqual([{ a: 1 }, {}, {}]);
  });
});

function reversed(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([member, inner]) => [member, reversed(inner)]),
  );
}
