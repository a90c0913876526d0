import { fc } from '../testing/property';
import { minus, negated, plus, sameDecimal, times, ZERO } from './decimal-arithmetic';
import { shortestDecimal } from './decimal-text';

const decimals = fc.record({
  units: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
  scale: fc.integer({ min: 0, max: 30 }),
});

describe('arithmetic of decimals', () => {
  it('adds at the larger scale, and changes signs', () => {
    expect(plus({ units: 125n, scale: 1 }, { units: 1n, scale: 2 })).toEqual({ units: 1251n, scale: 2 });
    expect(plus()).toEqual({ units: 0n, scale: 0 });
    expect(negated({ units: 5n, scale: 1 })).toEqual({ units: -5n, scale: 1 });
    expect(minus({ units: 5n, scale: 1 }, { units: 25n, scale: 2 })).toEqual({ units: 25n, scale: 2 });
    expect(times({ units: 15n, scale: 1 }, { units: -25n, scale: 2 })).toEqual({ units: -375n, scale: 3 });
  });

  it('knows the same number at another scale', () => {
    fc.assert(
      fc.property(decimals, decimals, fc.integer({ min: 0, max: 9 }), (one, other, more) => {
        const rescaled = { units: one.units * 10n ** BigInt(more), scale: one.scale + more };
        expect(sameDecimal(one, rescaled)).toBe(true);
        expect(sameDecimal(one, other)).toBe(shortestDecimal(one) === shortestDecimal(other));
        expect(sameDecimal(one, plus(rescaled, { units: 1n, scale: one.scale }))).toBe(false);
      }),
    );
  });

  it('is exact', () => {
    fc.assert(
      fc.property(decimals, decimals, decimals, (one, other, factor) => {
        expect(shortestDecimal(minus(plus(one, other), other))).toBe(shortestDecimal(one));
        expect(shortestDecimal(plus(one, negated(one)))).toBe(shortestDecimal(ZERO));
        expect(shortestDecimal(times(plus(one, other), factor))).toBe(
          shortestDecimal(plus(times(one, factor), times(other, factor))),
        );
      }),
    );
  });
});
