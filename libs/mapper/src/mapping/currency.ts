import type { CompiledMapping } from './compiled-mapping';

/** What a record's blank currency field means: the company's local currency, or what the record inherits. */
export function blankCurrencyOf(
  { options }: CompiledMapping,
  context: { readonly inheritedCurrency?: string; readonly localCurrency: string },
): string | undefined {
  return options.blankCurrency === 'local' ? context.localCurrency : context.inheritedCurrency;
}
