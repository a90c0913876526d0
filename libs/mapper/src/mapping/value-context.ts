import { valueAt } from '../json/json-path';
import { ownMember, type JsonObject } from '../json/json-value';
import { attempt, type ValueContext } from './codec';
import { currencyNamed, isBlankCurrency } from './codecs/money';
import type { CompiledMapping } from './compiled-mapping';
import { absentCurrencyOf, blankCurrencyOf } from './currency';
import type { EncodeContext } from './writing/encode-context';
import type { Residue } from './reading/residue';
import { isReturned } from './reading/returned';
import type { ReferenceStep } from './step';

/** The context of a record's codecs when it is written. */
export function valueContextOf(
  mapping: CompiledMapping,
  context: EncodeContext,
  data: JsonObject,
  residue: Residue,
): ValueContext {
  return {
    currency: currencyWritten(mapping, data, context, residue),
    localCurrency: context.localCurrency,
    blankCurrency: blankCurrencyOf(mapping, context),
    absentCurrency: absentCurrencyOf(mapping, context) ?? context.currency,
    keys: keysOf(mapping, context, residue),
  };
}

// If the residue has the record's currency, named or inherited, and nothing overwrites it, that currency counts. Amounts in
// another currency are refused.
function currencyWritten(
  mapping: CompiledMapping,
  data: JsonObject,
  context: EncodeContext,
  residue: Residue,
): string | undefined {
  const native = mapping.currencyPath && valueAt(residue.fields, mapping.currencyPath);
  if (native === undefined && residue.currency === undefined) return context.currency;
  const overwrites = mapping.currencyFields.some((field) => {
    const value = ownMember(data, field);
    return value !== undefined && !isReturned(residue, field, value);
  });
  if (overwrites) return context.currency;
  return isBlankCurrency(native)
    ? (residue.currency ?? blankCurrencyOf(mapping, context) ?? context.currency)
    : currencyNamed(native);
}

// Keys of the records referred to. For an unchanged reference this is the key in the residue.
function keysOf(
  mapping: CompiledMapping,
  { references = {} }: EncodeContext,
  residue: Residue,
): Readonly<Record<string, string>> {
  const keys: Record<string, string> = {};
  for (const step of mapping.references) {
    const target = references[step.field];
    const key = target === undefined ? composedKey(step, residue) : target?.key;
    if (key !== undefined) keys[step.field] = key;
  }
  return keys;
}

function composedKey({ sources }: ReferenceStep, residue: Residue): string | undefined {
  for (const source of sources) {
    if (!source.composed) continue;
    const literal = residue.literals && ownMember(residue.literals, source.name);
    const native = literal ?? valueAt(residue.fields, source.path);
    if (native === undefined) continue;
    const outcome = attempt(() => source.decode(native));
    if ('value' in outcome && outcome.value !== null) return outcome.value;
  }
  return undefined;
}
