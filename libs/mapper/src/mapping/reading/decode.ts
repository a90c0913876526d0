import type { JsonObject } from '../../json/json-value';
import type { Members } from '../../json/roomy-object';
import type { NativeReference } from '../binding';
import { currencyNamed, isBlankCurrency } from '../codecs/money';
import type { CompiledMapping } from '../compiled-mapping';
import { absentCurrencyOf, blankCurrencyOf } from '../currency';
import type { FieldIssue } from '../mapping-error';
import { PayloadReader, type GivenBack } from './payload-reader';
import type { Residue } from './residue';

export type { GivenBack } from './payload-reader';

/** The context of decoding, beside the payload. */
export interface DecodeContext {
  /** Currency of a record that names none; `UNKNOWN_CURRENCY` if it inherits from a record whose currency cannot be read. */
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
  /**
   * The IDs or keys that each reference field names, the best source first; an empty list if the field is present and
   * names nothing.
   */
  readonly references: Readonly<Record<string, readonly NativeReference[]>>;
  readonly residue: Residue;
  /** Currency of the record; undefined if it, or the record that it inherits from, names one that does not exist. */
  readonly currency: string | undefined;
  /** Whether the record itself names its currency. */
  readonly namesCurrency: boolean;
  /** The values that do not fit: at most a hundred problems, and one that says where reading stopped. */
  readonly issues: readonly FieldIssue[];
}

/** The data of a payload. The residue that encoding needs is computed on demand. */
export interface PayloadReading extends Omit<Decoded, 'residue'> {
  /** The residue, beyond what the other platform of a preview gives back. */
  readonly residueOf: (givenBack?: GivenBack) => Residue;
}

/** Takes a payload apart. Never throws on a JSON object: what does not fit is reported and stays in the residue. */
export function decodePayload(
  mapping: CompiledMapping,
  payload: JsonObject,
  context: DecodeContext,
  givenBack?: GivenBack,
): Decoded {
  const { residueOf, nativeId, data, references, currency, namesCurrency, issues } = readPayload(
    mapping,
    payload,
    context,
  );
  return { nativeId, data, references, currency, namesCurrency, issues, residue: residueOf(givenBack) };
}

/** Reads a payload as {@link decodePayload} does; the residue is computed on demand. */
export function readPayload(
  mapping: CompiledMapping,
  payload: JsonObject,
  context: DecodeContext,
): PayloadReading {
  const natives = mapping.native.valuesIn(payload);
  const { currencyPlace } = mapping;
  const wire = currencyPlace === undefined ? undefined : natives[currencyPlace];
  const blankCurrency = blankCurrencyOf(mapping, context);
  const absentCurrency = absentCurrencyOf(mapping, context);
  const namesCurrency = !isBlankCurrency(wire);
  const unnamed = wire === undefined ? absentCurrency : blankCurrency;
  const currency = namesCurrency ? currencyNamed(wire) : unnamed;
  const { localCurrency } = context;
  const values = { currency, localCurrency, blankCurrency, absentCurrency };
  const reader = new PayloadReader(mapping, payload, natives, values);
  return {
    nativeId: reader.nativeId,
    data: withDerived(reader.data, mapping),
    references: reader.references,
    currency,
    namesCurrency,
    issues: reader.issues.list,
    residueOf: (givenBack) => reader.residueOf(givenBack),
  };
}

function withDerived(data: Members, { options: { derived } }: CompiledMapping): JsonObject {
  for (const [field, { value }] of Object.entries(derived ?? {})) {
    const found = value(data);
    if (found !== undefined) data[field] = found;
  }
  return data;
}
