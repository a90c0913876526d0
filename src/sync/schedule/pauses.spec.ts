import { LONGEST_PAUSE, pauseUntilNext } from './pauses';

const MINUTE = 60_000;
const middle = 0.5;

describe('pauseUntilNext', () => {
  it('is the interval, spread by a tenth to both sides', () => {
    expect(pauseUntilNext(5 * MINUTE, 0, 0)).toBe(4.5 * MINUTE);
    expect(pauseUntilNext(5 * MINUTE, 0, middle)).toBe(5 * MINUTE);
    expect(pauseUntilNext(5 * MINUTE, 0, 1)).toBe(5.5 * MINUTE);
  });

  it('doubles with each failure, up to an hour', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 1_000].map((failures) => pauseUntilNext(5 * MINUTE, failures, middle));
    expect(pauses.map((pause) => pause / MINUTE)).toEqual([5, 10, 20, 40, 60, 60, 60]);
    expect(LONGEST_PAUSE).toBe(60 * MINUTE);
  });

  it('is never shorter after a failure than without one', () => {
    expect(pauseUntilNext(24 * 60 * MINUTE, 3, middle)).toBe(24 * 60 * MINUTE);
  });

  it('begins with a minute where no interval is set', () => {
    expect(pauseUntilNext(0, 1, middle)).toBe(MINUTE);
    expect(pauseUntilNext(0, 3, middle)).toBe(4 * MINUTE);
  });
});
