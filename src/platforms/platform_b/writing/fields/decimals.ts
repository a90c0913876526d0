import { divideHalfEven, plus, times, type Decimal } from '@app/mapper';

export const ONE: Decimal = { units: 1n, scale: 0 };
const HUNDRED = 100n;

/** A hundred percent and so many more, as a multiple of one percent. */
export function hundredAnd(percent: Decimal): Decimal {
  return plus({ units: HUNDRED, scale: 0 }, percent);
}

/** value × factor ÷ divisor, rounded to so many places. @param divisor not zero */
export function scaled(value: Decimal, factor: Decimal, divisor: Decimal, places: number): Decimal {
  const sign = divisor.units < 0n ? -1n : 1n;
  const { units, scale } = times(value, factor);
  const numerator = units * sign * 10n ** BigInt(places + divisor.scale);
  const denominator = divisor.units * sign * 10n ** BigInt(scale);
  return { units: divideHalfEven(numerator, denominator), scale: places };
}

export const HUNDRED_PERCENT: Decimal = { units: HUNDRED, scale: 0 };
