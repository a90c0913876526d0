import { divideHalfEven, minus, ZERO, type Decimal } from '@app/mapper';

/** `numerator / denominator`, rounded to this number of places; zero if the denominator is zero. */
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
