import { fc } from '../../../../mapper/src/testing/property';
import { scaleOf } from './bridge-scale';

describe('scaleOf', () => {
  it('begins at zero where the lines are a good part of the sums', () => {
    const { begins, bars } = scaleOf(100n, [-50n], 50n);
    expect(begins).toBe(0n);
    expect(bars).toEqual([
      { from: 0, to: 1 },
      { from: 1, to: 0.5 },
      { from: 0, to: 0.5 },
    ]);
  });

  it('begins beside the lines where they are small', () => {
    const { begins, bars } = scaleOf(1_000_000n, [-400n, 100n], 999_700n);
    expect(begins).toBe(999_499n);
    expect(bars[1]?.from).toBeGreaterThan(0.7);
    expect(bars[1]?.to).toBeLessThan(0.3);
  });

  it('draws nothing of nothing', () => {
    expect(scaleOf(0n, [], 0n).bars).toEqual([
      { from: 0, to: 0 },
      { from: 0, to: 0 },
    ]);
  });

  it('stays on the axis, and each line begins where the one before ended', () => {
    const amount = fc.bigInt({ min: -(2n ** 60n), max: 2n ** 60n });
    fc.assert(
      fc.property(amount, fc.array(amount), (first, lines) => {
        const second = lines.reduce((sum, line) => sum + line, first);
        const { bars } = scaleOf(first, lines, second);
        expect(bars).toHaveLength(lines.length + 2);
        for (const { from, to } of bars) {
          expect(Math.min(from, to)).toBeGreaterThanOrEqual(0);
          expect(Math.max(from, to)).toBeLessThanOrEqual(1);
        }
        const steps = bars.slice(0, -1);
        for (const [index, bar] of steps.entries()) {
          if (index > 0) expect(bar.from).toBe(steps[index - 1]?.to);
        }
        expect(bars.at(-1)?.to).toBe(steps.at(-1)?.to);
      }),
    );
  });
});
