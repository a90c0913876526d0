import type { CompiledMapping } from './compiled-mapping';

/**
 * The inherited currency of a record whose parent has a currency that cannot be read: none. The record's own amounts
 * cannot be read then either.
 */
export const UNKNOWN_CURRENCY = '';

interface Currencies {
  readonly inheritedCurrency?: string;
  readonly localCurrency: string;
}

/**
 * The meaning of a record's blank currency field: the company's local currency, or the inherited currency; undefined if
 * it is unknown.
 */
export function blankCurrencyOf({ options }: CompiledMapping, context: Currencies): string | undefined {
  return options.blankCurrency === 'local' ? known(context.localCurrency) : known(context.inheritedCurrency);
}

/**
 * The currency of a record without its currency field: the same as for a blank one, unless the resource says otherwise.
 * Undefined if unknown.
 */
export function absentCurrencyOf(mapping: CompiledMapping, context: Currencies): string | undefined {
  return mapping.options.absentCurrency === 'inherited'
    ? known(context.inheritedCurrency)
    : blankCurrencyOf(mapping, context);
}

function known(currency: string | undefined): string | undefined {
  return currency === UNKNOWN_CURRENCY ? undefined : currency;
}
