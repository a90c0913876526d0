import { isBigintText, isCount, isMilliseconds, isText, isTimeText, isUuid } from './sort-keys';

describe('a sort key from outside', () => {
  it.each([
    [isText, ['', 'CHK 1'], ['a\0', '\udc00', 1, null]],
    [
      isTimeText,
      ['1000-01-01T00:00:00.000000Z', '2999-12-31T23:59:59.999999Z'],
      ['2026-02-30T00:00:00.000000Z', '294277-01-01T00:00:00.000000Z', '2026-02-01', '-infinity', 1],
    ],
    [isMilliseconds, [0, 253_402_300_799_999], [-1, 253_402_300_800_000, 0.5, 8.64e15, '1']],
    [
      isBigintText,
      ['-9223372036854775808', '-1', '0', '9223372036854775807'],
      ['-9223372036854775809', '9223372036854775808', '', '-0', '01', '1.0', '１', 1],
    ],
    [isCount, [0, 9_007_199_254_740_991], [-1, 0.5, 9_007_199_254_740_992, '0', Infinity]],
    [
      isUuid,
      ['e3b0c442-98fc-4c14-9afb-f4c8996fb924'],
      ['E3B0C442-98FC-4C14-9AFB-F4C8996FB924', 'e3b0c442', '', 1],
    ],
  ])('%p takes what the database takes', (isKey: (value: unknown) => boolean, taken, refused) => {
    expect(taken.filter((value) => !isKey(value))).toEqual([]);
    expect(refused.filter((value) => isKey(value))).toEqual([]);
  });
});
