import fc from 'fast-check';
import { nextSettlingTime } from './settling-time';

const ENDED = new Date('2026-03-01T10:00:00.000Z');
const DELAYS = [2_000, 12_000, 72_000];
const after = (milliseconds: number): Date => new Date(ENDED.getTime() + milliseconds);

describe('nextSettlingTime', () => {
  it.each([
    ['right after the end', 0, 2_000],
    ['at the first delay', 2_000, 12_000],
    ['after looks that came early', 1_999, 2_000],
    ['before the last', 71_999, 72_000],
  ])('says %s when the next one is due', (_, elapsed, next) => {
    expect(nextSettlingTime({ startedAt: after(-500), endedAt: ENDED, now: after(elapsed) }, DELAYS)).toEqual(
      after(next),
    );
  });

  it('trusts a check that begins after the last delay', () => {
    expect(
      nextSettlingTime({ startedAt: ENDED, endedAt: ENDED, now: after(72_000) }, DELAYS),
    ).toBeUndefined();
  });

  it('counts from the beginning where the end is not known', () => {
    expect(nextSettlingTime({ startedAt: ENDED, now: after(0) }, DELAYS)).toEqual(after(2_000));
  });

  it('never trusts a check before the last delay, and never schedules one in the past', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 100_000 }), { minLength: 1 }),
        fc.integer({ min: -10_000, max: 200_000 }),
        (numbers, elapsed) => {
          const delays = numbers.toSorted((one, other) => one - other);
          const next = nextSettlingTime({ startedAt: ENDED, now: after(elapsed) }, delays);
          const last = delays.at(-1) ?? 0;
          expect(next === undefined).toBe(elapsed >= last);
          if (next !== undefined) expect(next.getTime()).toBeGreaterThan(after(elapsed).getTime());
        },
      ),
    );
  });
});
