import { compare, measurePaired, short } from './paired';

/** Gives numbers one after the other, and the last one for ever. */
function sequence(...values: readonly number[]): () => Promise<number> {
  let place = 0;
  return () => Promise.resolve(values[Math.min(place++, values.length - 1)] ?? NaN);
}

const once = { comparison: 'rate', repetitions: 1, warmUps: 0, retries: 2 } as const;

describe('a paired measurement', () => {
  it('compares ours with the floors before and after it', async () => {
    const { repetitions } = await measurePaired({ ...once, floor: sequence(100, 110), ours: sequence(21) });
    expect(repetitions).toEqual([{ floorBefore: 100, ours: 21, floorAfter: 110, ratio: 0.2 }]);
  });

  it('is void when its floors are more than a tenth apart, and is repeated', async () => {
    const { repetitions, voided, unsteady } = await measurePaired({
      ...once,
      floor: sequence(100, 50, 50),
      ours: sequence(10, 20),
    });
    expect(repetitions).toEqual([{ floorBefore: 50, ours: 20, floorAfter: 50, ratio: 0.4 }]);
    expect({ voided, unsteady }).toEqual({ voided: 1, unsteady: false });
  });

  it('says that it is unsteady, with what was measured, when its floors never agree', async () => {
    let turn = 0;
    const floor = () => Promise.resolve(turn++ % 2 === 0 ? 100 : 50);
    const { repetitions, voided, unsteady } = await measurePaired({ ...once, floor, ours: sequence(10) });
    expect({ voided, unsteady, shown: repetitions.length }).toEqual({ voided: 3, unsteady: true, shown: 3 });
  });

  it('takes the floor after one repetition for the floor before the next', async () => {
    const { repetitions } = await measurePaired({
      ...once,
      repetitions: 2,
      floor: sequence(100, 101, 102),
      ours: sequence(50),
    });
    expect(repetitions.map(({ floorBefore, floorAfter }) => [floorBefore, floorAfter])).toEqual([
      [100, 101],
      [101, 102],
    ]);
  });

  it('throws warm-ups away', async () => {
    const { repetitions } = await measurePaired({
      ...once,
      warmUps: 1,
      floor: sequence(1, 100, 100),
      ours: sequence(1, 70),
    });
    expect(repetitions).toEqual([{ floorBefore: 100, ours: 70, floorAfter: 100, ratio: 0.7 }]);
  });

  it('fails when a floor cannot be measured', async () => {
    const floor = () => Promise.reject(new Error('no floor'));
    await expect(measurePaired({ ...once, floor, ours: sequence(1) })).rejects.toThrow('no floor');
  });
});

describe('a comparison', () => {
  it('of rates is ours over the floor', () => expect(compare('rate', 50, 100)).toBe(0.5));
  it('of times is the floor over ours, so that more is better', () =>
    expect(compare('time', 4, 2)).toBe(0.5));
  it('of multiples is ours over the floor, so that less is better', () =>
    expect(compare('multiple', 6, 2)).toBe(3));
});

describe('a number in a table', () => {
  it.each([
    [0.02346, '0.0235'],
    [1.005, '1.00'],
    [12345.6, '12346'],
    [0, '0'],
    [-2.5, '-2.50'],
  ])('%d is %s', (value, text) => expect(short(value)).toBe(text));
});
