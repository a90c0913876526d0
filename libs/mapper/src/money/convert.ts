import { exponentOf } from './currencies';
import type { ExchangeRate } from './exchange-rates';
import type { Decimal } from './decimal-text';
import { minorUnits, SAFE_DIGITS, type Money } from './money';

/** What an answer says, and the store keeps, about one conversion. */
export interface Conversion {
  readonly from: string;
  readonly to: string;
  /** The rate as quoted, decimal text. */
  readonly rate: string;
  readonly source: string;
  readonly inverted?: true;
  readonly via?: string;
  readonly rounding: 'half_even';
}

/** The record of a conversion at a rate. */
export function conversionAt({ from, to, rate, source, inverted, via }: ExchangeRate): Conversion {
  return {
    from,
    to,
    rate,
    source,
    ...(inverted && { inverted }),
    ...(via !== undefined && { via }),
    rounding: 'half_even',
  };
}

/**
 * Converts an amount: computed exactly, then rounded once to the target's minor unit, half to even (ISO 80000-1,
 * rule A; the usual accounting choice, because it has no drift over many amounts).
 *
 * @throws RangeError when the money is not in the rate's `from` currency
 * @throws AmountError when the result does not fit ±(2^53−1) minor units
 */
export function convert(money: Money, rate: ExchangeRate): Money {
  if (money.currency !== rate.from)
    throw new RangeError(`a rate from ${rate.from} cannot convert ${money.currency}`);
  const shift = exponentOf(rate.to) - exponentOf(rate.from);
  const numerator = BigInt(money.amount) * rate.numerator * (shift > 0 ? 10n ** BigInt(shift) : 1n);
  const denominator = rate.denominator * (shift < 0 ? 10n ** BigInt(-shift) : 1n);
  return minorUnits(divideHalfEven(numerator, denominator), rate.to);
}

/** The most decimals of a converted price, where the price itself has no more: platform_b keeps five. */
const PRICE_PLACES = 5;

/**
 * Converts the price of one unit, a plain decimal in the rate's `from` currency: computed exactly, then rounded once, half to
 * even, to five decimals or to as many as the price has. It keeps no more than 15 significant digits.
 */
export function convertPrice(price: Decimal, rate: ExchangeRate): Decimal {
  const numerator = price.units * rate.numerator;
  const denominator = 10n ** BigInt(price.scale) * rate.denominator;
  const rounded = (scale: number): Decimal => ({
    units: divideHalfEven(numerator * 10n ** BigInt(scale), denominator),
    scale,
  });
  const scale = Math.max(price.scale, PRICE_PLACES);
  const converted = rounded(scale);
  const excess = converted.units.toString().replace('-', '').length - SAFE_DIGITS;
  return excess > 0 ? rounded(Math.max(0, scale - excess)) : converted;
}

/** Integer division, rounded half to even; the divisor is positive. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const negative = dividend < 0n;
  const magnitude = negative ? -dividend : dividend;
  let quotient = magnitude / divisor;
  const twice = (magnitude % divisor) * 2n;
  if (twice > divisor || (twice === divisor && quotient % 2n === 1n)) quotient += 1n;
  return negative ? -quotient : quotient;
}
