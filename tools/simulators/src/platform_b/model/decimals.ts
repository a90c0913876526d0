import { divideHalfEven, type Decimal } from '@app/mapper';

export const ZERO: Decimal = { units: 0n, scale: 0 };

export function plus(...decimals: readonly Decimal[]): Decimal {
  const scale = Math.max(0, ...decimals.map((decimal) => decimal.scale));
  return { units: decimals.reduce((sum, decimal) => sum + unitsAt(decimal, scale), 0n), scale };
}

export function minus(one: Decimal, other: Decimal): Decimal {
  return plus(one, { units: -other.units, scale: other.scale });
}

export function times(one: Decimal, other: Decimal): Decimal {
  return { units: one.units * other.units, scale: one.scale + other.scale };
}

/** `numerator / denominator`, rounded to so many places; zero when the denominator is. */
export function quotient(numerator: Decimal, denominator: Decimal, places: number): Decimal {
  if (denominator.units === 0n) return ZERO;
  const sign = denominator.units < 0n ? -1n : 1n;
  const over = numerator.units * sign * 10n ** BigInt(denominator.scale + places);
  const under = denominator.units * sign * 10n ** BigInt(numerator.scale);
  return { units: divideHalfEven(over, under), scale: places };
}

export function rounded(decimal: Decimal, places: number): Decimal {
  return decimal.scale <= places ? decimal : quotient(decimal, { units: 1n, scale: 0 }, places);
}

/** Negative, zero or positive, as sorting wants it. */
export function compareDecimals(one: Decimal, other: Decimal): number {
  const difference = minus(one, other).units;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function unitsAt({ units, scale }: Decimal, target: number): bigint {
  return units * 10n ** BigInt(target - scale);
}
