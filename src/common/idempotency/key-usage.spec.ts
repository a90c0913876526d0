import { BYTES_OF_AN_ANSWER, isDue, isFull, type Usage } from './key-usage';

const usage = (more: Partial<Usage>): Usage => ({
  counted: { keys: 0, bytes: 0 },
  keysSince: 0,
  bytesSince: 0,
  oldest: null,
  looking: false,
  lookedAt: 0,
  ...more,
});
const bytes = (answers: number): number => answers * BYTES_OF_AN_ANSWER;

describe('the room for keys', () => {
  it('is known before the first count, and a count is due', () => {
    const unknown = usage({ counted: undefined, keysSince: 5000 });
    expect([isFull(unknown, 1600), isDue(unknown, 1600)]).toEqual([false, true]);
  });

  it.each([
    ['keys', { counted: { keys: 1590, bytes: 0 }, keysSince: 9 }, false],
    ['keys', { counted: { keys: 1590, bytes: 0 }, keysSince: 10 }, true],
    ['bytes', { counted: { keys: 1, bytes: bytes(1599) }, bytesSince: bytes(1) - 1 }, false],
    ['bytes', { counted: { keys: 1, bytes: bytes(1599) }, bytesSince: bytes(1) }, true],
  ])('ends with its %s', (_name, more, full) => {
    expect(isFull(usage(more), 1600)).toBe(full);
  });

  it.each([
    ['a quarter of what was left', { keysSince: 399 }, { keysSince: 400 }],
    [
      'a sixteenth of all',
      { counted: { keys: 1500, bytes: 0 }, keysSince: 99 },
      { counted: { keys: 1500, bytes: 0 }, keysSince: 100 },
    ],
    ['as many bytes', { bytesSince: bytes(400) - 1 }, { bytesSince: bytes(400) }],
  ])('is looked at again after %s', (_name, before, after) => {
    expect([isDue(usage(before), 1600), isDue(usage(after), 1600)]).toEqual([false, true]);
  });
});
