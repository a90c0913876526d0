import { pauseOfSweeps } from './retention';

describe('pauseOfSweeps()', () => {
  it.each([
    [1, 1_000],
    [60_000, 6_000],
    [10 * 24 * 3_600_000, 24 * 3_600_000],
    [400 * 24 * 3_600_000, 24 * 3_600_000],
  ])('is, for a lifetime of %i ms, %i ms', (life, pause) => {
    expect(pauseOfSweeps(life)).toBe(pause);
  });
});
