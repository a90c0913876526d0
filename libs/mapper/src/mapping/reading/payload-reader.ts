import { fieldsOf } from '../../canonical/types';
import type { ValuesAtPaths } from '../../json/path-tree';
import {
  isJsonArray,
  sameJson,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../json/json-value';
import { roomyObject } from '../../json/roomy-object';
import type { NativeReference } from '../binding';
import { unfitFrom, type ValueContext } from '../codec';
import { isBlankCurrency } from '../codecs/money';
import type { CompiledMapping } from '../compiled-mapping';
import { IssueList } from '../issues';
import { culpritOf, readValue } from './read-value';
import type { Residue } from './residue';
import { asReturned } from './returned';
import { ResidueBuilder } from './spelling';
import type { LinesStep, ReferenceStep, Step, ValueStep } from '../step';

/**
 * What the other platform of a preview gives back for each canonical field, as far as it has the field, and the currency of
 * its record. The residue keeps whole the fields that come back with another value, prices that come back in another
 * currency, fields from which it computed other figures, and the absence of fields that the platform does not have.
 */
export interface GivenBack {
  readonly data: JsonObject;
  readonly currency: string | undefined;
}

/** One payload that is read into data and builder. */
export class PayloadReader {
  readonly issues = new IssueList();
  readonly data = roomyObject();
  readonly references: Record<string, NativeReference[]> = {};
  /** Native ID; undefined for a record that has none yet. */
  readonly nativeId: string | undefined;
  /** Canonical values by the index of the field, as they were read. */
  private readonly values: ValuesAtPaths = [];

  constructor(
    private readonly mapping: CompiledMapping,
    private readonly payload: JsonObject,
    /** The native values, by the index of their path. */
    private readonly natives: ValuesAtPaths,
    private readonly context: ValueContext,
  ) {
    for (const step of mapping.steps) {
      if (step.kind === 'value') this.readValue(step);
      else if (step.kind === 'reference') this.readReference(step);
      else this.readLines(step);
    }
    this.nativeId = this.readId();
  }

  /** What the payload holds beyond the data, without the values that the other platform returns. */
  residueOf(givenBack: GivenBack | undefined): Residue {
    const given = givenBack && this.mapping.canonical.valuesIn(givenBack.data);
    const isConverted = givenBack !== undefined && givenBack.currency !== this.context.currency;
    const builder = new ResidueBuilder();
    let returns: Record<string, JsonValue> | undefined;
    let lines: Record<string, readonly Residue[]> | undefined;
    for (const step of this.mapping.steps) {
      if (step.kind === 'reference' || !isKept(step)) continue;
      const value = this.values[step.index];
      if (given !== undefined) {
        // A field that the other platform returns with another value, or not at all, is kept whole.
        const other = given[step.index];
        if (other === undefined || value === undefined) continue;
        if (step.kind === 'lines' && areAsMany(value, other)) {
          (lines ??= {})[step.name] = this.residuesOfLines(step, value, other);
          builder.restored[step.place] = true;
          continue;
        }
        const isNoted = isConverted ? this.isPrice(step) : this.isPartlyReturned(step, given);
        if (!sameJson(other, value) || isNoted || this.hasDependent(step, given)) {
          (returns ??= {})[step.field] = asReturned(other);
          continue;
        }
      }
      if (value === undefined) continue;
      if (step.kind === 'value') {
        builder.keep(step, this.natives, value, this.context);
      } else {
        (lines ??= {})[step.name] = this.residuesOfLines(step, value);
        builder.restored[step.place] = true;
      }
    }
    if (given !== undefined) returns = this.withNew(returns, given);
    return {
      ...builder.residueOf(this.payload, this.mapping.native),
      ...(returns && { returns }),
      ...(isConverted && this.inheritedCurrency()),
      ...(lines && { lines }),
    };
  }

  /** The currency of a record that names none itself. */
  private inheritedCurrency(): Pick<Residue, 'currency'> {
    const { currencyPlace } = this.mapping;
    const { currency } = this.context;
    const isNamed = currencyPlace !== undefined && !isBlankCurrency(this.natives[currencyPlace]);
    return isNamed || currency === undefined ? {} : { currency };
  }

  private readValue(step: ValueStep): void {
    try {
      const value = readValue(step, this.natives, this.context);
      if (value === undefined) return;
      this.values[step.index] = value;
      this.data[step.field] = value;
    } catch (error) {
      const { message, path } = unfitFrom(error);
      this.issues.add(path ?? culpritOf(step, this.natives), message);
    }
  }

  private readReference({ field, refersTo, sources }: ReferenceStep): void {
    for (const source of sources) {
      const native = this.natives[source.place];
      if (native === undefined) continue;
      try {
        const value = source.decode(native);
        // Combined text may hold no key and still not mean that there is no record.
        if (value === null && source.composed) continue;
        const named = (this.references[field] ??= []);
        if (value !== null) named.push({ refersTo, by: source.by, value, path: source.name });
      } catch (error) {
        this.issues.add(source.name, unfitFrom(error).message);
      }
    }
  }

  private readLines({ field, index, place, name, lines }: LinesStep): void {
    const native = this.natives[place];
    if (!isJsonArray(native)) return;
    const before = this.issues.list.length;
    const decoded = lines.decode(native, name, this.context, this.issues);
    if (this.issues.list.length > before) return;
    this.values[index] = decoded;
    this.data[field] = decoded;
  }

  // Two equal prices in two currencies are not the same.
  private isPrice({ field }: Step): boolean {
    return fieldsOf(this.mapping.entityType)[field]?.price === true;
  }

  // Whether the other platform returns another value for a field that says one thing together with this one.
  private isPartlyReturned({ field }: Step, given: ValuesAtPaths): boolean {
    const { options, stepByField } = this.mapping;
    const fields = options.together?.find((one) => one.includes(field)) ?? [];
    return fields.some((name) => {
      const index = stepByField.get(name)?.index;
      const other = index === undefined ? undefined : given[index];
      return other !== undefined && index !== undefined && !sameJson(other, this.values[index]);
    });
  }

  // Whether the residue keeps figures or lines that belong to a field: those that the other platform does not return as they
  // are. They are valid as long as the returned value is the noted one.
  private hasDependent({ field }: Step, given: ValuesAtPaths): boolean {
    const paths = this.mapping.dependent.get(field);
    if (paths === undefined) return false;
    const isReturned = ({ index }: Step) => {
      const [value, other] = [this.values[index], given[index]];
      return value !== undefined && other !== undefined && sameJson(other, value);
    };
    return paths.some(({ steps, isIn }) => isIn(this.payload) && !steps.some(isReturned));
  }

  // Values that the other platform returns for fields that the record does not have.
  private withNew(
    returns: Record<string, JsonValue> | undefined,
    given: ValuesAtPaths,
  ): Record<string, JsonValue> | undefined {
    let all = returns;
    for (const step of this.mapping.steps) {
      const other = given[step.index];
      if (other === undefined || this.values[step.index] !== undefined || !isKept(step)) continue;
      (all ??= {})[step.field] = asReturned(other);
    }
    return all;
  }

  private residuesOfLines(
    { place, lines }: LinesStep,
    decoded: JsonValue,
    givenBack = decoded,
  ): readonly Residue[] {
    // The field has a value, so the payload has a list at its path, and the values are lists of lines.
    const [read, given] = [decoded, givenBack] as (readonly JsonObject[])[];
    return lines.residues(this.natives[place] as JsonArray, read ?? [], this.context, given);
  }

  private readId(): string | undefined {
    const { options, idPlace } = this.mapping;
    const wire = this.natives[idPlace];
    if (wire === undefined) return undefined;
    try {
      return options.id.decode(wire) ?? undefined;
    } catch (error) {
      this.issues.add(options.id.path, unfitFrom(error).message);
      return undefined;
    }
  }
}

function areAsMany(lines: JsonValue, others: JsonValue): boolean {
  return isJsonArray(lines) && isJsonArray(others) && lines.length === others.length;
}

// Whether a residue has anything about a field.
function isKept(step: Step): boolean {
  return step.kind === 'lines' || (step.kind === 'value' && !step.binding.readOnly);
}
