import type { Decimal } from './decimal-text';

export const ZERO: Decimal = { units: 0n, scale: 0 };

/** Sum of decimals, at the largest scale; zero of none. */
export function plus(...decimals: readonly Decimal[]): Decimal {
  const scale = Math.max(0, ...decimals.map((decimal) => decimal.scale));
  return {
    units: decimals.reduce((sum, decimal) => sum + decimal.units * 10n ** BigInt(scale - decimal.scale), 0n),
    scale,
  };
}

/** The same magnitude with the other sign. */
export function negated({ units, scale }: Decimal): Decimal {
  return { units: -units, scale };
}

/** Difference, at the larger scale. */
export function minus(one: Decimal, other: Decimal): Decimal {
  return plus(one, negated(other));
}

/** Whether two decimals are the same number, at whatever scale. */
export function sameDecimal(one: Decimal, other: Decimal): boolean {
  return minus(one, other).units === 0n;
}

/** Product, exact: its scale is the sum of both. */
export function times(one: Decimal, other: Decimal): Decimal {
  return { units: one.units * other.units, scale: one.scale + other.scale };
}
