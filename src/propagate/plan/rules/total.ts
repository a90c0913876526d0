import { AmountError, convert, findRate, type Money } from '@app/mapper';
import type { Quotes } from '../amounts';

/** A sum of amounts in one currency. */
export interface Total {
  /** Minor units. */
  readonly amount: bigint;
  readonly currency: string;
  /** Number of converted amounts: each may be off by half a minor unit. */
  readonly converted: number;
}

/**
 * Adds amounts, each converted and rounded separately.
 *
 * @returns the sum, or the first currency whose amount cannot be converted, because no rate is known or the result is
 *   too large
 */
export function totalOf(
  currency: string,
  amounts: readonly Money[],
  quotes: Quotes,
): Total | { readonly unconvertible: string } {
  let amount = 0n;
  let converted = 0;
  for (const money of amounts) {
    const own = money.currency === currency ? money : inCurrency(currency, money, quotes);
    if (own === undefined) return { unconvertible: money.currency };
    if (own !== money) converted += 1;
    amount += BigInt(own.amount);
  }
  return { amount, currency, converted };
}

function inCurrency(currency: string, money: Money, quotes: Quotes): Money | undefined {
  const rate = findRate(money.currency, currency, quotes);
  if (rate === undefined) return undefined;
  try {
    return convert(money, rate);
  } catch (error) {
    // The converted amount exceeds the largest amount of the currency.
    if (error instanceof AmountError) return undefined;
    throw error;
  }
}

/** How far a sum is above a limit in the same currency, in minor units, beyond what conversions may have rounded. */
export function excessOf({ amount, converted }: Total, limit: Money): bigint {
  const excess = amount - BigInt(limit.amount);
  const slack = BigInt(converted);
  return excess > slack ? excess : 0n;
}
