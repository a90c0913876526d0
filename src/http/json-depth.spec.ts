import fc from 'fast-check';
import { nestsDeeperThan } from './json-depth';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('nestsDeeperThan', () => {
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

  it('takes text of any depth and any brokenness', () => {
    expect(nestsDeeperThan('['.repeat(5_000_000), 100)).toBe(true);
    expect(nestsDeeperThan(']'.repeat(1000) + '"unclosed \\', 100)).toBe(false);
  });
});
