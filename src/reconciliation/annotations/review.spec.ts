import { isAccepted, timeOfMilliseconds } from './review';

const [before, end, after] = [1, 2, 3].map((day) => timeOfMilliseconds(Date.UTC(2026, 5, day)));

describe('an acceptance', () => {
  it.each([
    ['holds for its values', { values: 'v', endsAt: null }, 'v', after, true],
    ['does not hold for others', { values: 'v', endsAt: null }, 'w', after, false],
    ['does not hold for values that are not known', { values: 'v', endsAt: null }, null, after, false],
    ['holds before its end', { values: 'v', endsAt: end }, 'v', before, true],
    ['does not hold from its end on', { values: 'v', endsAt: end }, 'v', end, false],
    ['does not hold if it says nothing', { values: null, endsAt: null }, null, after, false],
    ['does not hold if there is none', null, 'v', after, false],
  ])('%s', (_name, acceptance, values, time, expected) => {
    expect(isAccepted(acceptance as Parameters<typeof isAccepted>[0], values, time ?? '')).toBe(expected);
  });
});
