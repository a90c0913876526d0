import type { CompiledMapping } from './compiled-mapping';

/**
 * The currency that a record inherits from a record whose own currency cannot be read: none. Amounts of a record that inherits
 * it cannot be read either.
 */
export const UNKNOWN_CURRENCY = '';

interface Currencies {
  readonly inheritedCurrency?: string;
  readonly localCurrency: string;
}

/** What a record's blank currency field means: the company's local currency, or what the record inherits; undefined if unknown. */
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
