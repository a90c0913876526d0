import { mayBeDeleted } from './absence-rules';

describe('mayGo', () => {
  it.each([
    [0, 0, true],
    [1, 10, true],
    [1, 9, false],
    [2, 19, false],
    [2, 20, true],
    [10_000, 100_000, true],
    [10_001, 100_000, false],
    [5, 5, false],
  ])('%s of %s: %s', (going, total, expected) => {
    expect(mayBeDeleted(going, total)).toBe(expected);
  });
});
