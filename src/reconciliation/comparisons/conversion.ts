import {
  AmountError,
  convert,
  exponentOf,
  findRate,
  type ExchangeRate,
  type Money,
  type RateQuote,
} from '@app/mapper';

/** Converts an amount to minor units of another currency; undefined if it cannot be converted. */
export interface Converter {
  (money: Money): bigint | undefined;
  /** The currency into which it converts. */
  readonly currency: string;
}

/**
 * Converts into one currency, each amount once, like the money library. Returns undefined without a rate, and beyond
 * the library's range.
 */
export function converterInto(currency: string, rates: readonly RateQuote[]): Converter {
  const known = new Map<string, ExchangeRate | undefined>();
  const convertMoney = (money: Money): bigint | undefined => {
    if (money.currency === currency) return BigInt(money.amount);
    if (!known.has(money.currency)) {
      known.set(money.currency, findRate(money.currency, currency, { customer: rates }));
    }
    const rate = known.get(money.currency);
    if (rate === undefined) return undefined;
    try {
      return BigInt(convert(money, rate).amount);
    } catch (error) {
      if (error instanceof AmountError) return undefined;
      throw error;
    }
  };
  return Object.assign(convertMoney, { currency });
}

/** A rate as the fraction of minor units by which SQL converts. */
export interface Factor {
  readonly currency: string;
  readonly numerator: bigint;
  readonly denominator: bigint;
  /** The largest amount whose product with the numerator fits a bigint together with twice a remainder; 0 for none. */
  readonly most: bigint;
}

const ROOM = 2n ** 61n;

/** The factors from some currencies to another; a currency without a rate has none. */
export function factorsInto(
  currency: string,
  currencies: readonly string[],
  rates: readonly RateQuote[],
): readonly Factor[] {
  return currencies.flatMap((from): Factor[] => {
    if (from === currency) return [{ currency: from, numerator: 1n, denominator: 1n, most: ROOM }];
    const rate = findRate(from, currency, { customer: rates });
    if (rate === undefined) return [];
    const shift = exponentOf(currency) - exponentOf(from);
    const numerator = rate.numerator * (shift > 0 ? 10n ** BigInt(shift) : 1n);
    const denominator = rate.denominator * (shift < 0 ? 10n ** BigInt(-shift) : 1n);
    const divisor = gcd(numerator, denominator);
    const reduced = { numerator: numerator / divisor, denominator: denominator / divisor };
    const fits = reduced.numerator <= ROOM && reduced.denominator <= ROOM;
    return [{ currency: from, ...reduced, most: fits ? ROOM / reduced.numerator : 0n }];
  });
}

function gcd(one: bigint, other: bigint): bigint {
  return other === 0n ? one : gcd(other, one % other);
}
