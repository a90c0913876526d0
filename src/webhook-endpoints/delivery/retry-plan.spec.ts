import { fc } from '../../../libs/mapper/src/testing/property';
import { isGivenUp, pauseAfter } from './retry-plan';

const DAY = 24 * 3_600_000;

describe('pauseAfter()', () => {
  it('grows from seconds to hours, and ends', () => {
    const minutes = Array.from({ length: 8 }, (_, place) => pauseAfter(place + 1, 0)).map(
      (pause) => pause && pause / 60_000,
    );
    expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 600, undefined]);
  });

  it('is longer by a fifth at most', () => {
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), random, (attempts, chance) => {
        const [least = 0, pause = 0] = [pauseAfter(attempts, 0), pauseAfter(attempts, chance)];
        expect(pause).toBeGreaterThanOrEqual(least);
        expect(pause).toBeLessThanOrEqual(least * 1.2 + 1);
      }),
    );
  });
});

describe('isGivenUp()', () => {
  it('is so after five days', () => {
    const now = new Date('2026-02-06T00:00:00Z');
    expect(isGivenUp(null, now)).toBe(false);
    expect(isGivenUp(new Date(now.getTime() - 5 * DAY + 1), now)).toBe(false);
    expect(isGivenUp(new Date(now.getTime() - 5 * DAY), now)).toBe(true);
  });
});
