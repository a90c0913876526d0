import type { EntityType } from '../canonical/entity-type';
import { fieldListOf } from '../canonical/types';
import type { JsonObject, JsonValue } from '../json/json-value';
import type { PayloadReading } from '../mapping/reading/decode';
import type { Mapping } from '../mapping/mapping';
import { MappingError } from '../mapping/mapping-error';
import { conversionAt, convert, convertPrice, type Conversion } from '../money/convert';
import { parseDecimalText, shortestDecimal, type Decimal } from '../money/decimal-text';
import { findRate } from '../money/exchange-rates';
import { AmountError, isMoney, type Money } from '../money/money';
import type { MapperContext } from './preview-context';

/** Canonical data with its amounts and prices in another currency, and at which rate. */
export interface ConvertedAmounts {
  readonly data: JsonObject;
  readonly conversion: Conversion;
}

/**
 * Converts a record's amounts and prices into the currency the caller asks for; undefined when there is nothing to convert.
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
  const prices = pricesOf(data, mapping);
  if (amounts.length + prices.length === 0 && data.lines === undefined) return undefined;
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
  foot(converted, data, mapping.entityType);
  for (const [field, price] of prices) converted[field] = shortestDecimal(convertPrice(price, rate));
  if (data.currency !== undefined) converted.currency = targetCurrency;
  // The lines would have to be converted one by one, and their sum need not be the converted sum.
  delete converted.lines;
  return { data: converted, conversion: conversionAt(rate) };
}

/** Of types with tax: the amount that is the sum of two others, those two, and which of the three follows from the others. */
const sums: Readonly<Partial<Record<EntityType, Sum>>> = {
  contract: { sum: 'total_with_tax', parts: ['amount', 'tax_amount'], follows: 'total_with_tax' },
  change_order: { sum: 'total_with_tax', parts: ['amount', 'tax_amount'], follows: 'total_with_tax' },
  invoice: { sum: 'amount', parts: ['net_amount', 'tax_amount'], follows: 'net_amount' },
};

interface Sum {
  readonly sum: string;
  readonly parts: readonly [string, string];
  /** Not the amount itself, which platforms compare. */
  readonly follows: string;
}

// Three amounts that add up still do so when each was rounded: one of them is computed from the other two.
function foot(converted: Record<string, JsonValue>, data: JsonObject, entityType: EntityType): void {
  const rule = sums[entityType];
  if (rule === undefined || lackOf(rule, data) !== 0) return;
  const lack = lackOf(rule, converted);
  const value = converted[rule.follows];
  if (lack === undefined || !isMoney(value)) return;
  const amount = rule.follows === rule.sum ? value.amount - lack : value.amount + lack;
  converted[rule.follows] = { amount, currency: value.currency };
}

// What the sum has more than its parts; undefined unless all three are amounts of one currency.
function lackOf({ sum, parts: [one, other] }: Sum, data: JsonObject): number | undefined {
  const [whole, first, second] = [data[sum], data[one], data[other]];
  if (!isMoney(whole) || !isMoney(first) || !isMoney(second)) return undefined;
  if (new Set([whole, first, second].map(({ currency }) => currency)).size > 1) return undefined;
  const lack = whole.amount - first.amount - second.amount;
  return Number.isSafeInteger(lack) ? lack : undefined;
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

// They name no currency, so they are in that of the record.
function pricesOf(data: JsonObject, { entityType, own }: Mapping): readonly [string, Decimal][] {
  return fieldListOf(entityType, own).flatMap(({ name, price }): [string, Decimal][] => {
    const value = price ? data[name] : undefined;
    const decimal = typeof value === 'string' ? parseDecimalText(value) : undefined;
    return decimal === undefined ? [] : [[name, decimal]];
  });
}
