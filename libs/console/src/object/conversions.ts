import { isAmount } from '../parts/values/money-text';
import { quotesText, sourceWords, type Rate } from '../parts/words/rate-text';
import type { Platform } from '../data/queries';
import type { FieldRow } from './field-rows';

/** Rates into one currency, as a statement has them. */
export interface KnownRates {
  readonly currency: string;
  readonly rates: readonly Pick<Rate, 'from' | 'to' | 'quotes' | 'source'>[];
  /** Currencies without a rate. */
  readonly missing_rates: readonly string[];
}

/** The currency into which amounts of these rows are converted to be compared; undefined where none is. */
export function convertedInto(rows: readonly Pick<FieldRow, 'canonical' | 'values'>[]): string | undefined {
  for (const { canonical, values } of rows) {
    if (!isAmount(canonical)) continue;
    const { currency } = canonical;
    if (Object.values(values).some((value) => isAmount(value) && value.currency !== currency))
      return currency;
  }
  return undefined;
}

/**
 * The rate at which a platform's amount is compared: `1 USD = 3.6725 AED, official peg`. Undefined if no rate is needed
 * or known.
 */
export function rateWords(
  { canonical, values }: Pick<FieldRow, 'canonical' | 'values'>,
  platform: Platform,
  known: KnownRates | undefined,
): string | undefined {
  const value = values[platform];
  if (!isAmount(canonical) || !isAmount(value) || known?.currency !== canonical.currency) return undefined;
  if (known.missing_rates.includes(value.currency)) {
    return `no rate leads from ${value.currency} to ${known.currency}`;
  }
  const rate = known.rates.find(({ from, to }) => from === value.currency && to === known.currency);
  return rate && `${quotesText(rate)}, ${sourceWords[rate.source]}`;
}
