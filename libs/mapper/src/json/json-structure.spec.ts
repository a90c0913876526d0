import fc from 'fast-check';
import { exceededLimit } from './json-structure';

const boundless = { levels: Infinity, containers: Infinity, names: Infinity };

const nestsDeeperThan = (text: string, levels: number): boolean =>
  exceededLimit(text, { ...boundless, levels }) === 'levels';

function containersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, inner) => sum + containersOf(inner), 1);
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function namesOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(namesOf)];
}

describe('exceededLimit', () => {
  it.each([
    ['{}', 1],
    ['[]', 1],
    ['1', 0],
    ['{"a":[{}]}', 3],
    ['{"a":"[[[["}', 1],
    ['{"a\\"[[[":1}', 1],
    ['{"a":"\\\\","b":[]}', 2],
    ['[[],[],[]]', 2],
  ])('%s nests %d deep', (text, depth) => {
    expect(nestsDeeperThan(text, depth)).toBe(false);
    if (depth > 0) expect(nestsDeeperThan(text, depth - 1)).toBe(true);
  });

  it('counts as the structure does, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(7), (value, levels) => {
        expect(nestsDeeperThan(JSON.stringify(value), levels)).toBe(depthOf(value) > levels);
      }),
    );
  });

  it('counts objects and lists, wherever they stand, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(20), (value, containers) => {
        const limit = exceededLimit(JSON.stringify(value), { ...boundless, containers });
        expect(limit).toBe(containersOf(value) > containers ? 'containers' : undefined);
      }),
    );
  });

  it('counts different names of members, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(20), (value, names) => {
        const limit = exceededLimit(JSON.stringify(value), { ...boundless, names });
        expect(limit).toBe(new Set(namesOf(value)).size > names ? 'names' : undefined);
      }),
    );
  });

  it('counts a name once wherever it stands, and no other text', () => {
    expect(exceededLimit('{"a":1,"b":{"a":"c"}, "b":["a","d"]}', { ...boundless, names: 2 })).toBeUndefined();
  });

  it('counts names before a colon that stands apart', () => {
    expect(exceededLimit('{"a" : 1, "b"\n\t:2}', { ...boundless, names: 1 })).toBe('names');
  });

  it('takes text of any depth and any brokenness', () => {
    expect(nestsDeeperThan('['.repeat(5_000_000), 100)).toBe(true);
    expect(nestsDeeperThan(']'.repeat(1000) + '"unclosed \\', 100)).toBe(false);
  });
});
