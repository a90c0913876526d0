import { difference, geometricMean, median, quantile, slopeOf, spreadOf } from './statistics';

describe('the middle of repetitions', () => {
  it('is the middle one, whatever their order', () => expect(median([9, 1, 5])).toBe(5));

  it('is the mean of two middles', () => expect(median([4, 1, 2, 9])).toBe(3));

  it('does not exist for no repetition', () => expect(() => median([])).toThrow(RangeError));

  it('comes with the least and the most', () =>
    expect(spreadOf([3, 1, 2])).toEqual({ median: 2, least: 1, most: 3 }));
});

describe('a quantile', () => {
  it('is the value of the nearest rank', () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect(quantile(values, 0.99)).toBe(198);
    expect(quantile(values, 1)).toBe(200);
    expect(quantile(values, 0)).toBe(1);
  });
});

describe('the slope of points', () => {
  it('is that of their line', () => {
    const line = [3, 1, 2].map((x) => [x, 5 - 2 * x] as const);
    expect(slopeOf(line)).toBeCloseTo(-2);
  });

  it('lies in the middle of what is off the line on both sides', () => {
    const off = [
      [0, 1],
      [0, -1],
      [10, 21],
      [10, 19],
    ] as const;
    expect(slopeOf(off)).toBeCloseTo(2);
  });

  it('does not exist for one point', () => expect(() => slopeOf([[1, 1]])).toThrow(RangeError));
});

describe('the geometric mean', () => {
  it('makes one of a ratio and its reciprocal', () => expect(geometricMean([4, 0.25])).toBeCloseTo(1));
});

describe('the difference of two floors', () => {
  it('is a share of the larger one', () => {
    expect(difference(90, 100)).toBeCloseTo(0.1);
    expect(difference(100, 90)).toBeCloseTo(0.1);
    expect(difference(0, 0)).toBe(0);
  });
});
