import { valueAt } from '../json/json-path';
import type { JsonObject } from '../json/json-value';
import type { NativeReference } from './binding';
import type { ValueContext } from './codec';
import { currencyNamed, isBlankCurrency } from './codecs/money';
import type { CompiledMapping } from './compiled-mapping';
import { blankCurrencyOf } from './currency';
import type { FieldIssue } from './mapping-error';
import { PayloadReader, type GivenBack } from './payload-reader';
import type { Rest } from './rest';

export type { GivenBack } from './payload-reader';

/** What decoding knows beside the payload. */
export interface DecodeContext {
  /** Currency of a record that names none. */
  readonly inheritedCurrency: string;
  /** Local currency of the company behind the connection. */
  readonly localCurrency: string;
}

/** A payload, taken apart. */
export interface Decoded {
  /** Native ID; undefined for a record that has none yet. */
  readonly nativeId: string | undefined;
  /** Canonical fields, without references. */
  readonly data: JsonObject;
  /** Per reference field what it names, the best source first; empty when the field is there and names nothing. */
  readonly references: Readonly<Record<string, readonly NativeReference[]>>;
  readonly rest: Rest;
  /** Currency of the record; undefined when it names one that does not exist. */
  readonly currency: string | undefined;
  /** Whether the record itself names its currency. */
  readonly namesCurrency: boolean;
  /** What does not fit; at most a hundred problems and one that says where reading stopped. */
  readonly issues: readonly FieldIssue[];
}

/** What a payload says, without what it would take to write the same payload again. */
export type Reading = Omit<Decoded, 'rest'>;

/** Takes a payload apart. Never throws on a JSON object: what does not fit is reported and stays in the rest. */
export function decodePayload(
  mapping: CompiledMapping,
  payload: JsonObject,
  context: DecodeContext,
  givenBack?: GivenBack,
): Decoded {
  const reader = new PayloadReader(payload, valueContextOf(mapping, payload, context), true, givenBack);
  const reading = read(reader, mapping, payload, context);
  reader.noteReturns(mapping);
  return { ...reading, rest: reader.rest() };
}

/** Reads a payload as {@link decodePayload} does, but without the rest, for about half the cost. */
export function readPayload(mapping: CompiledMapping, payload: JsonObject, context: DecodeContext): Reading {
  const reader = new PayloadReader(payload, valueContextOf(mapping, payload, context), false);
  return read(reader, mapping, payload, context);
}

function read(
  reader: PayloadReader,
  mapping: CompiledMapping,
  payload: JsonObject,
  context: DecodeContext,
): Reading {
  for (const step of mapping.steps) {
    if (step.kind === 'value') reader.readValue(step);
    else if (step.kind === 'reference') reader.readReference(step);
    else reader.readLines(step);
  }
  const { derive } = mapping.options;
  const nativeId = reader.readId(mapping);
  return {
    nativeId,
    data: derive ? { ...reader.data, ...derive(reader.data) } : reader.data,
    references: reader.references,
    ...currencyOf(mapping, payload, context),
    issues: reader.issues.list,
  };
}

function valueContextOf(mapping: CompiledMapping, payload: JsonObject, context: DecodeContext): ValueContext {
  return {
    currency: currencyOf(mapping, payload, context).currency,
    localCurrency: context.localCurrency,
    blankCurrency: blankCurrencyOf(mapping, context),
  };
}

function currencyOf(
  mapping: CompiledMapping,
  payload: JsonObject,
  context: DecodeContext,
): Pick<Decoded, 'currency' | 'namesCurrency'> {
  const wire = mapping.currencyPath && valueAt(payload, mapping.currencyPath);
  if (isBlankCurrency(wire)) return { currency: blankCurrencyOf(mapping, context), namesCurrency: false };
  return { currency: currencyNamed(wire), namesCurrency: true };
}
