import { rowAfter } from './row-keys';

describe('the arrows in a list', () => {
  it.each([
    [undefined, 'ArrowDown', 0],
    [0, 'ArrowDown', 1],
    [2, 'ArrowDown', undefined],
    [1, 'ArrowUp', 0],
    [0, 'ArrowUp', undefined],
    [1, 'j', undefined],
  ])('from row %p by %s lead to %p of three', (row, key, expected) => {
    expect(rowAfter(row, key, 3)).toBe(expected);
  });

  it('lead nowhere in an empty list', () => {
    expect(rowAfter(undefined, 'ArrowDown', 0)).toBeUndefined();
  });
});
