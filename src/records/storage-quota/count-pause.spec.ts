import { countPause } from './count-pause';

const MB = 1024 ** 2;

describe('countPause', () => {
  it.each([
    ['a second where the quota is used up', -MB, 5, 1_000],
    ['a second where little is left', 10 * MB, 5, 1_000],
    ['the time in which what is left can be written', 640 * MB, 5, 10_000],
    ['an hour at most', 1024 ** 2 * MB, 5, 3_600_000],
    ['twenty times what the count took', 10 * MB, 1_500, 30_000],
  ])('is %s', (_name, room, took, pause) => {
    expect(countPause(room, took)).toBe(pause);
  });
});
