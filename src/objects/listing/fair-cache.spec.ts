import { fc } from '../../../libs/mapper/src/testing/property';
import { FairCache } from './fair-cache';

describe('FairMemo', () => {
  it('forgets what its owner has not used for the longest time', () => {
    const memo = new FairCache<number>(6_400);
    for (let key = 0; key < 64; key += 1) memo.set('a', String(key), key, 100);
    expect(memo.get('a', '0')).toBe(0);
    memo.set('a', 'one more', 64, 100);
    expect([memo.get('a', '0'), memo.get('a', '1'), memo.get('a', 'one more')]).toEqual([0, undefined, 64]);
  });

  it('takes nothing from an owner within an equal share, however much another one brings', () => {
    const memo = new FairCache<number>(64_000);
    for (let key = 0; key < 300; key += 1) memo.set('small', String(key), key, 100);
    for (let key = 0; key < 10_000; key += 1) memo.set('large', String(key), key, 100);
    expect(Array.from({ length: 300 }, (_, key) => memo.get('small', String(key)))).not.toContain(undefined);
    expect(memo.get('large', '9999')).toBe(9999);
  });

  it('remembers nothing that is more than a sixteenth of the whole, and makes room for what is less', () => {
    const memo = new FairCache<number>(6_400);
    for (let key = 0; key < 64; key += 1) memo.set('a', String(key), key, 100);
    memo.set('a', 'large', 1, 400);
    expect([memo.get('a', 'large'), memo.size]).toEqual([1, 6_400]);
    memo.set('a', 'larger', 1, 401);
    expect(memo.get('a', 'larger')).toBeUndefined();
  });

  it('never takes more than its limit, and gives back only what was last set', () => {
    const step = fc.record({
      owner: fc.constantFrom('a', 'b', 'c'),
      key: fc.constantFrom('1', '2', '3', '4', '5'),
      bytes: fc.integer({ min: 1, max: 300 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const memo = new FairCache<number>(64 * 64);
        const set = new Map<string, number>();
        for (const [value, { owner, key, bytes }] of steps.entries()) {
          memo.set(owner, key, value, bytes);
          set.set(`${owner} ${key}`, value);
          expect(memo.size).toBeLessThanOrEqual(64 * 64);
          const found = memo.get(owner, key);
          if (found !== undefined) expect(found).toBe(value);
        }
        for (const [name, value] of set) {
          const [owner = '', key = ''] = name.split(' ');
          expect([undefined, value]).toContain(memo.get(owner, key));
        }
      }),
    );
  });
});
