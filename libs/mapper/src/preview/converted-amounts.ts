import { fieldListOf } from '../canonical/types';
import type { JsonObject, JsonValue } from '../json/json-value';
import type { PayloadReading } from '../mapping/reading/decode';
import type { Mapping } from '../mapping/mapping';
import { MappingError } from '../mapping/mapping-error';
import { conversionAt, convert, type Conversion } from '../money/convert';
import { findRate } from '../money/exchange-rates';
import { AmountError, isMoney, type Money } from '../money/money';
import type { MapperContext } from './preview-context';

/** Canonical data with its amounts in another currency, and at which rate. */
export interface ConvertedAmounts {
  readonly data: JsonObject;
  readonly conversion: Conversion;
}

/**
 * Converts a record's amounts into the currency the caller asks for; undefined when there is nothing to convert.
 *
 * @throws MappingError when there is no rate, or an amount has no room in the other currency
 */
export function convertedAmounts(
  { currency, data }: PayloadReading,
  mapping: Mapping,
  { targetCurrency, exchangeRate }: MapperContext,
): ConvertedAmounts | undefined {
  if (targetCurrency === undefined || currency === undefined || currency === targetCurrency) return undefined;
  const amounts = amountsOf(data, mapping, currency);
  if (amounts.length === 0 && data.lines === undefined) return undefined;
  const rate = findRate(currency, targetCurrency, { request: exchangeRate });
  if (rate === undefined) {
    throw new MappingError([
      {
        path: 'context.targetCurrency',
        problem: `no exchange rate from ${currency} to ${targetCurrency} is known`,
      },
    ]);
  }
  const converted: Record<string, JsonValue> = { ...data };
  for (const [field, amount] of amounts) {
    try {
      converted[field] = { ...convert(amount, rate) };
    } catch (error) {
      if (!(error instanceof AmountError)) throw error;
      throw new MappingError([{ path: `data.${mapping.pathOf(field) ?? field}`, problem: error.message }]);
    }
  }
  if (data.currency !== undefined) converted.currency = targetCurrency;
  // The lines would have to be converted one by one, and their sum need not be the converted sum.
  delete converted.lines;
  return { data: converted, conversion: conversionAt(rate) };
}

function amountsOf(
  data: JsonObject,
  { entityType, own }: Mapping,
  currency: string,
): readonly [string, Money][] {
  return fieldListOf(entityType, own).flatMap(({ name, money }): [string, Money][] => {
    const value = data[name];
    return money && isMoney(value) && value.currency === currency ? [[name, value]] : [];
  });
}
