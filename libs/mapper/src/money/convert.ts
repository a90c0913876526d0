import { exponentOf } from './currencies';
import type { ExchangeRate } from './exchange-rates';
import { minorUnits, type Money } from './money';

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

/** Integer division, rounded half to even; the divisor is positive. */
export function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const negative = dividend < 0n;
  const magnitude = negative ? -dividend : dividend;
  let quotient = magnitude / divisor;
  const twice = (magnitude % divisor) * 2n;
  if (twice > divisor || (twice === divisor && quotient % 2n === 1n)) quotient += 1n;
  return negative ? -quotient : quotient;
}
