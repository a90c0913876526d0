import {
  AmountError,
  conversionAt,
  convert,
  findRate,
  type Conversion,
  type Money,
  type RateQuote,
} from '@app/mapper';
import { untranslatable } from './refusal';

/** Rates for one change: the request's own rate, and the customer's rates. */
export interface Quotes {
  readonly request: RateQuote | undefined;
  readonly customer: readonly RateQuote[];
}

/** An amount in the wanted currency, and its conversion. */
export interface ConvertedAmount {
  readonly money: Money;
  readonly conversion: Conversion | undefined;
}

/**
 * Converts an amount to a currency. An amount that has the currency already is returned unchanged.
 *
 * @param path the field's name in the patch, for the refusal
 * @throws ChangeRefused `untranslatable`, naming the field and the currencies, if no rate is known or the result is too
 *   large
 */
export function amountIn(currency: string, money: Money, quotes: Quotes, path: string): ConvertedAmount {
  if (money.currency === currency) return { money, conversion: undefined };
  const rate = findRate(money.currency, currency, quotes);
  if (rate === undefined) {
    throw untranslatable([
      { path, problem: `no exchange rate from ${money.currency} to ${currency} is known` },
    ]);
  }
  try {
    return { money: convert(money, rate), conversion: conversionAt(rate) };
  } catch (error) {
    if (error instanceof AmountError) throw untranslatable([{ path, problem: error.message }]);
    throw error;
  }
}
