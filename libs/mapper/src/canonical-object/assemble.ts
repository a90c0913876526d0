import type { EntityType } from '../canonical/entity-type';
import type { Field } from '../canonical/field';
import { isOwnFieldName, setShownField, type OwnFields } from '../canonical/own-fields';
import { fieldListOf, fieldsOf } from '../canonical/types';
import { ownMember, sameJson, setMember, type JsonObject, type JsonValue } from '../json/json-value';
import type { PayloadReading } from '../mapping/reading/decode';
import type { Mapping } from '../mapping/mapping';
import type { FieldIssue } from '../mapping/mapping-error';
import { residueToJson } from '../mapping/reading/residue';
import { convert } from '../money/convert';
import { findRate, type RateQuote } from '../money/exchange-rates';
import { AmountError, isMoney, sameMoney, type Money } from '../money/money';
import { mappingOf, type PlatformName } from '../platforms';
import { defaultTerms, inOrderOf, precedenceOf, type ValueTerms } from './terms';

/** One platform's record of an object, as stored, with what it inherits from the records it refers to. */
export interface PlatformCopy {
  readonly platform: PlatformName;
  readonly platformId: string;
  readonly variant: string | null;
  readonly payload: JsonObject;
  /** Currency of its contract or project, else of the connection; `UNKNOWN_CURRENCY` if that cannot be read. */
  readonly inheritedCurrency: string;
  readonly localCurrency: string;
  /** Canonical IDs of the records it refers to, by canonical field. A field with an unknown target is left out. */
  readonly references: Readonly<Record<string, string>>;
  /** Canonical values that follow from the records around it, such as the number of the invoice a payment applies to. */
  readonly derived?: JsonObject;
}

/** An object as stored: its identity, both platforms' copies in order of precedence, and what neither can hold. */
export interface StoredObject {
  readonly id: string;
  readonly entityType: EntityType;
  readonly copies: readonly PlatformCopy[];
  /** Values that were written through the service and that no platform's record can show. */
  readonly extra: JsonObject;
}

/** Why the value of one platform is the canonical one. */
export const whyChosen = {
  byDefault: 'it comes first by default',
  byTerms: 'it comes first as agreed with the customer',
  morePrecise: 'its word is the more precise one',
} as const;

/** A field on which two platforms differ, with both values. */
export interface Disagreement {
  readonly field: string;
  /** Why the chosen platform's value counts. */
  readonly why: (typeof whyChosen)[keyof typeof whyChosen];
  readonly chosen: { readonly platform: PlatformName; readonly value: JsonValue };
  readonly other: { readonly platform: PlatformName; readonly value: JsonValue };
}

/** A canonical object, and what a person may want to look at. */
export interface AssembledObject {
  readonly object: JsonObject;
  readonly disagreements: readonly Disagreement[];
  readonly issues: readonly (FieldIssue & { readonly platform: PlatformName })[];
}

/** A record, and what it says. */
export interface ReadCopy {
  readonly copy: PlatformCopy;
  readonly platform: PlatformName;
  readonly mapping: Mapping;
  readonly reading: PayloadReading;
}

/** What one platform says of a field. */
export interface Source {
  readonly platform: PlatformName;
  readonly mapping: Mapping;
  readonly value: JsonValue;
  readonly currency: string | undefined;
  readonly localCurrency: string;
}

// A client can rely on these members of a stored payment, also where a platform says nothing.
const alwaysPresent: Partial<Record<EntityType, readonly string[]>> = {
  payment: ['status', 'check_number', 'invoice_number'],
};

/**
 * Assembles the canonical object of a stored object: a function of its records alone, so it is the same whichever
 * platform was connected first.
 *
 * For each field, the first platform that has a value decides. The order is that of the platforms' registry, unless a
 * precedence was agreed for the field. One refinement: a platform may map several enumerated values to one literal. If
 * its own value and the next platform's value share that literal, the next platform's value is more precise and
 * decides. Amounts that are equal at the rate, to the minor unit in either direction, are no disagreement, and neither
 * are values that look the same on one side.
 */
export function assembleObject(stored: StoredObject, terms: ValueTerms = defaultTerms): AssembledObject {
  const read = readCopies(stored, terms.own);
  const disagreements: Disagreement[] = [];
  const object: Record<string, JsonValue> = { id: stored.id, object: stored.entityType };
  for (const { name } of fieldListOf(stored.entityType, terms.own)) {
    const value = valueOf(stored, read, name, terms, disagreements);
    if (value !== undefined) setShownField(object, name, value);
  }
  const externalIds: Record<string, JsonValue> = {};
  const metadata: Record<string, JsonValue> = {};
  for (const { copy, reading } of read) {
    setMember(externalIds, copy.platform, copy.platformId);
    setMember(metadata, copy.platform, residueToJson(reading.residueOf()));
  }
  object.external_ids = externalIds;
  object.provider_metadata = metadata;
  return {
    object,
    disagreements,
    issues: read.flatMap(({ copy, reading }) =>
      reading.issues.map((issue) => ({ ...issue, platform: copy.platform })),
    ),
  };
}

/**
 * Some or all canonical fields of a stored object, as {@link assembleObject} computes them. It leaves out
 * `external_ids` and `provider_metadata`, which are half of the cost. Own fields have their prefixed names, as in a
 * change.
 */
export function assembleFields(
  stored: StoredObject,
  names?: Iterable<string>,
  { precedence, own }: Pick<ValueTerms, 'precedence' | 'own'> = defaultTerms,
): JsonObject {
  const terms = { rates: [], precedence, ...(own && { own }) };
  const read = readCopies(stored, own);
  const fields: Record<string, JsonValue> = {};
  for (const name of names ?? Object.keys(fieldsOf(stored.entityType, own))) {
    const value = valueOf(stored, read, name, terms, []);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

/** The disagreements on some fields of a stored object, as {@link assembleObject} finds them. */
export function disagreementsOn(
  stored: StoredObject,
  names: Iterable<string>,
  terms: ValueTerms,
): readonly Disagreement[] {
  const read = readCopies(stored, terms.own);
  const disagreements: Disagreement[] = [];
  for (const name of names) valueOf(stored, read, name, terms, disagreements);
  return disagreements;
}

/** The records of an object, read. */
export function readCopies({ entityType, copies }: StoredObject, own?: OwnFields): readonly ReadCopy[] {
  return copies.map((copy) => {
    const mapping = mappingOf(copy.platform, entityType, { variant: copy.variant, own });
    return { copy, platform: copy.platform, mapping, reading: mapping.readOnce(copy.payload, copy) };
  });
}

/** The value of one field; undefined when the object does not have it. */
function valueOf(
  { entityType, extra }: StoredObject,
  read: readonly ReadCopy[],
  name: string,
  terms: ValueTerms,
  disagreements: Disagreement[],
): JsonValue | undefined {
  const field = fieldsOf(entityType, terms.own)[name];
  if (field === undefined) return undefined;
  if (field.refersTo !== undefined) {
    const target = read.find(({ copy }) => copy.references[name] !== undefined)?.copy.references[name];
    const id = target ?? ownMember(extra, name);
    if (id !== undefined) return id;
    return read.some(({ reading }) => reading.references[name] !== undefined) ? null : undefined;
  }
  const sources: Source[] = [];
  for (const { copy, mapping, reading } of inOrderOf(read, terms.precedence, entityType, name)) {
    // What follows from the records around it counts before the record's own text, which may be out of date.
    const derived = copy.derived && ownMember(copy.derived, name);
    const value = derived ?? ownMember(reading.data, name);
    if (value === undefined) continue;
    const { platform, localCurrency } = copy;
    sources.push({ platform, mapping, value, currency: reading.currency, localCurrency });
  }
  const isAgreed = precedenceOf(terms.precedence, entityType, name) !== undefined;
  const why = isAgreed ? whyChosen.byTerms : whyChosen.byDefault;
  const value = chooseValue(
    { name, field, why },
    sources,
    keptValue(field, name, extra),
    terms.rates,
    disagreements,
  );
  return value ?? (alwaysPresent[entityType]?.includes(name) ? null : value);
}

// The definition of an own field may be another one than when the value was written.
function keptValue(field: Field<unknown>, name: string, extra: JsonObject): JsonValue | undefined {
  const value = ownMember(extra, name);
  const fits = value === undefined || value === null || !isOwnFieldName(name) || field.accepts(value);
  return fits ? value : undefined;
}

/** A field, and why the value of the first platform that has one counts. */
interface DecidedField {
  readonly name: string;
  readonly field: Field<unknown>;
  readonly why: Disagreement['why'];
}

function chooseValue(
  { name, field, why }: DecidedField,
  sources: readonly Source[],
  extra: JsonValue | undefined,
  rates: readonly RateQuote[],
  disagreements: Disagreement[],
): JsonValue | undefined {
  const telling = sources.filter(({ value }) => value !== null);
  const [first, ...others] = telling;
  if (first === undefined) return extra ?? (sources.length > 0 ? null : undefined);
  let chosen = first;
  const heard = [first];
  for (const other of others) {
    if (!field.ownToPlatform && !sameJson(chosen.value, other.value)) {
      if (refines(name, heard, chosen.value, other.value)) {
        chosen = other;
      } else if (!agrees(name, chosen, other, rates)) {
        disagreements.push({
          field: name,
          why: chosen === first ? why : whyChosen.morePrecise,
          chosen: { platform: chosen.platform, value: chosen.value },
          other: { platform: other.platform, value: other.value },
        });
      }
    }
    heard.push(other);
  }
  // A value that was written through the service counts as long as the deciding platform cannot say it differently.
  return extra !== undefined && extra !== null && refines(name, [first], first.value, extra)
    ? extra
    : chosen.value;
}

/** Whether each platform before has one literal for its own value and for the candidate. */
function refines(name: string, heard: readonly Source[], value: JsonValue, candidate: JsonValue): boolean {
  return heard.every(
    (source) => source.mapping.foldsWords(name) && source.mapping.cannotTell(name, value, candidate, source),
  );
}

/** Whether two platforms have the same value for a field, as far as either of them can distinguish values. */
export function agrees(name: string, chosen: Source, other: Source, rates: readonly RateQuote[]): boolean {
  if (isMoney(chosen.value) && isMoney(other.value)) return equalAtTheRate(chosen.value, other.value, rates);
  return (
    other.mapping.cannotTell(name, chosen.value, other.value, other) ||
    chosen.mapping.cannotTell(name, chosen.value, other.value, chosen)
  );
}

/**
 * Whether two amounts are equal to the minor unit, at the rate that would convert one into the other. Two amounts of zero are
 * equal even if no rate is known.
 */
export function equalAtTheRate(left: Money, right: Money, rates: readonly RateQuote[]): boolean {
  if (left.currency === right.currency) return sameMoney(left, right);
  if (left.amount === 0 && right.amount === 0) return true;
  return becomes(left, right, rates) || becomes(right, left, rates);
}

function becomes(money: Money, other: Money, rates: readonly RateQuote[]): boolean {
  const rate = findRate(money.currency, other.currency, { customer: rates });
  if (rate === undefined) return false;
  try {
    return sameMoney(convert(money, rate), other);
  } catch (error) {
    // Beyond the largest amount in the other currency, so certainly not the amount that the other record has.
    if (error instanceof AmountError) return false;
    throw error;
  }
}
