import { isIsoDate } from '../canonical/calendar';
import type { StoredEntityType } from '../canonical/entity-type';
import type { OwnFields } from '../canonical/own-fields';
import { fieldListOf, type NamedField } from '../canonical/types';
import { pathFrom, valueAt, valueNamed } from '../json/json-path';
import { ownMember, sameJson, type JsonValue } from '../json/json-value';
import type { FieldIssue } from '../mapping/mapping-error';
import { findRate, type RateQuote } from '../money/exchange-rates';
import { isMoney, type Money } from '../money/money';
import type { PlatformName } from '../platforms';
import { agrees, readCopies, type ReadCopy, type Source, type StoredObject } from './assemble';
import { fieldsWithPrecedence } from './terms';

/** What one platform says of a field: in canonical form, and where and how its record has it. */
export interface FieldReading {
  readonly platform: PlatformName;
  readonly canonical: JsonValue;
  /** Native path of the value; null where it follows from other records, or from several fields at once. */
  readonly path: string | null;
  readonly native: JsonValue;
}

/** A field on which two platforms do not agree. */
export interface FieldDifference {
  readonly field: string;
  /** `no_rate`: two amounts in different currencies between which there is no rate, so they cannot be compared. */
  readonly kind: 'differs' | 'no_rate';
  readonly left: FieldReading;
  readonly right: FieldReading;
}

/** A field that cannot be read, and what the record has there; null where the problem has no place of its own. */
export interface UnreadField extends FieldIssue {
  readonly platform: PlatformName;
  readonly native: JsonValue;
}

/** A field of two records. */
export interface ComparedField {
  readonly field: string;
  /** Null where only one of them says something. */
  readonly same: boolean | null;
  /** Of one or of both. */
  readonly readings: readonly FieldReading[];
}

/** The records of one object, each read once, for comparing any two of them. */
export class ComparedRecords {
  private readonly read: ReadonlyMap<PlatformName, ReadCopy>;

  /** @param own the customer's own fields */
  constructor(
    private readonly stored: StoredObject & { readonly entityType: StoredEntityType },
    private readonly own?: OwnFields,
  ) {
    this.read = new Map(readCopies(stored, own).map((one) => [one.copy.platform, one]));
  }

  /**
   * The fields on which two platforms have different values. A platform without a value for a field disagrees with
   * none. Fields that each platform keeps for itself are left out, and so are references.
   */
  differences(
    left: PlatformName,
    right: PlatformName,
    rates: readonly RateQuote[],
  ): readonly FieldDifference[] {
    const [one, other] = [this.read.get(left), this.read.get(right)];
    if (one === undefined || other === undefined) return [];
    const found: FieldDifference[] = [];
    for (const field of comparedFields(this.stored.entityType, this.own)) {
      const [mine, theirs] = [sourceOf(one, field), sourceOf(other, field)];
      if (mine === undefined || theirs === undefined || sameJson(mine.value, theirs.value)) continue;
      if (agrees(field, mine, theirs, rates)) continue;
      found.push({
        field,
        kind: isUntold(mine.value, theirs.value, rates) ? 'no_rate' : 'differs',
        left: fieldReadingOf(one, mine, field),
        right: fieldReadingOf(other, theirs, field),
      });
    }
    return found;
  }

  /** What two platforms say of every field that one of them says something of, and whether it is the same. */
  fields(left: PlatformName, right: PlatformName, rates: readonly RateQuote[]): readonly ComparedField[] {
    const [one, other] = [this.read.get(left), this.read.get(right)];
    return comparedFields(this.stored.entityType, this.own).flatMap((field): ComparedField[] => {
      const [mine, theirs] = [one && sourceOf(one, field), other && sourceOf(other, field)];
      const sayings = [
        ...(one && mine ? [fieldReadingOf(one, mine, field)] : []),
        ...(other && theirs ? [fieldReadingOf(other, theirs, field)] : []),
      ];
      if (sayings.length === 0) return [];
      const same =
        mine === undefined || theirs === undefined
          ? null
          : sameJson(mine.value, theirs.value) || agrees(field, mine, theirs, rates);
      return [{ field, same, readings: sayings }];
    });
  }

  /** A record's amount of money; null where it has none, or one that cannot be read. */
  moneyOf(platform: PlatformName, field: string): Money | null {
    const read = this.read.get(platform);
    const value = read && ownMember(read.reading.data, field);
    return isMoney(value) ? value : null;
  }

  /** A record's text in a field; null where it has none. */
  textOf(platform: PlatformName, field: string): string | null {
    const read = this.read.get(platform);
    const value = read && ownMember(read.reading.data, field);
    return typeof value === 'string' ? value : null;
  }

  /** A field as a record has it, readable or not; null where the record has no such field. */
  nativeOf(platform: PlatformName, field: string): JsonValue {
    const read = this.read.get(platform);
    const path = read?.mapping.pathsOf(field)[0];
    return (read && path && valueAt(read.copy.payload, path)) ?? null;
  }

  /**
   * An amount that cannot be read, as the record has it, with the currency that the record names; undefined where it has
   * none, or one that is read.
   */
  unreadMoneyOf(platform: PlatformName, field: string): JsonValue | undefined {
    const read = this.read.get(platform);
    if (read === undefined || this.moneyOf(platform, field) !== null) return undefined;
    const native = this.nativeOf(platform, field);
    if (native === null) return undefined;
    const { currency } = read.mapping.options;
    const named = currency === undefined ? undefined : valueAt(read.copy.payload, pathFrom(currency));
    return [native, named ?? null];
  }

  /** Whether a record has a field at a native path, whole or in part. */
  isAt(platform: PlatformName, field: string, path: string): boolean {
    const paths = this.read.get(platform)?.mapping.pathsOf(field) ?? [];
    return paths.some((one) => one.join('.') === path);
  }

  /** A record's calendar day in a field, `YYYY-MM-DD`; null where it has none. */
  dateOf(platform: PlatformName, field: string): string | null {
    const read = this.read.get(platform);
    const value = read && sourceOf(read, field)?.value;
    return typeof value === 'string' && isIsoDate(value) ? value : null;
  }

  /**
   * Whether a record has an amount of unknown currency: the record, or the record from which it inherits, names a currency
   * that does not exist.
   */
  hasUnknownCurrency(platform: PlatformName, field: string): boolean {
    const read = this.read.get(platform);
    if (read === undefined || read.reading.currency !== undefined) return false;
    return read.mapping.pathsOf(field).some((path) => (valueAt(read.copy.payload, path) ?? null) !== null);
  }

  /** The fields of each record that cannot be read. */
  get issues(): readonly UnreadField[] {
    return [...this.read].flatMap(([platform, { copy, reading }]) =>
      reading.issues.map((issue) => ({
        ...{ ...issue, platform },
        native: valueNamed(copy.payload, issue.path) ?? null,
      })),
    );
  }
}

// Held by the list of all fields, which is made once for a type and for the own fields of a customer.
const compared = new WeakMap<readonly NamedField[], readonly string[]>();

/** The fields on which platforms can differ. */
function comparedFields(entityType: StoredEntityType, own: OwnFields | undefined): readonly string[] {
  const all = fieldListOf(entityType, own);
  let fields = compared.get(all);
  if (fields === undefined) compared.set(all, (fields = fieldsWithPrecedence(entityType, own)));
  return fields;
}

function sourceOf({ copy, mapping, reading }: ReadCopy, name: string): Source | undefined {
  const derived = copy.derived && ownMember(copy.derived, name);
  const value = derived ?? ownMember(reading.data, name);
  if (value === undefined || value === null) return undefined;
  const { platform, localCurrency } = copy;
  return { platform, mapping, value, currency: reading.currency, localCurrency };
}

function isUntold(left: JsonValue, right: JsonValue, rates: readonly RateQuote[]): boolean {
  return (
    isMoney(left) &&
    isMoney(right) &&
    left.currency !== right.currency &&
    findRate(left.currency, right.currency, { customer: rates }) === undefined
  );
}

function fieldReadingOf(
  { copy, mapping }: ReadCopy,
  { platform, value }: Source,
  field: string,
): FieldReading {
  const isDerived = copy.derived !== undefined && (ownMember(copy.derived, field) ?? null) !== null;
  const path = isDerived
    ? undefined
    : mapping.pathsOf(field).find((one) => valueAt(copy.payload, one) !== undefined);
  return {
    platform,
    canonical: value,
    path: path?.join('.') ?? null,
    native: path === undefined ? null : (valueAt(copy.payload, path) ?? null),
  };
}
