import { valueAt, withoutValuesAt } from '../json/json-path';
import { isJsonArray, ownMember, sameJson, type JsonObject, type JsonValue } from '../json/json-value';
import type { NativeReference } from './binding';
import { attempt, type ValueContext } from './codec';
import { currencyNamed, isBlankCurrency } from './codecs/money';
import type { CompiledMapping } from './compiled-mapping';
import { blankCurrencyOf } from './currency';
import { IssueList } from './issues';
import type { FieldIssue } from './mapping-error';
import type { Rest } from './rest';
import { asReturned } from './returned';
import { keepSpelling, type Residue } from './spelling';
import type { LinesStep, ReferenceStep, ValueStep } from './step';

/** What decoding knows beside the payload. */
export interface DecodeContext {
  /** Currency of a record that names none. */
  readonly inheritedCurrency: string;
  /** Local currency of the company behind the connection. */
  readonly localCurrency: string;
}

/**
 * What the other platform of a preview gives back for each canonical field, as far as it has the field. Fields that
 * come back otherwise than they went are kept whole in the rest, and so is the absence of those that went nowhere.
 */
export type GivenBack = JsonObject;

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

/** One payload on its way into data and rest. */
class PayloadReader {
  readonly issues = new IssueList();
  readonly data: Record<string, JsonValue> = {};
  readonly references: Record<string, NativeReference[]> = {};
  private readonly residue: Residue = { restored: [], literals: {}, absent: [] };
  private readonly lines: Record<string, readonly Rest[]> = {};
  private readonly returns: Record<string, JsonValue> = {};

  constructor(
    private readonly payload: JsonObject,
    private readonly context: ValueContext,
    /** Whether a rest is wanted. */
    private readonly keeps: boolean,
    private readonly givenBack?: GivenBack,
  ) {}

  readValue(step: ValueStep): void {
    const { field, binding, paths, names } = step;
    const natives = paths.map((path) => valueAt(this.payload, path));
    const outcome = attempt(() => binding.decode(natives, this.context));
    if ('problem' in outcome) {
      const culprit = names.find((_, index) => natives[index] !== undefined) ?? '';
      this.issues.add(outcome.path ?? culprit, outcome.problem);
    } else if (outcome.value !== undefined) {
      this.data[field] = outcome.value;
      if (!this.keeps || binding.readOnly || this.isKeptWhole(field, outcome.value)) return;
      keepSpelling(step, natives, outcome.value, this.context, this.residue);
    }
  }

  readReference({ field, refersTo, sources }: ReferenceStep): void {
    for (const source of sources) {
      const native = valueAt(this.payload, source.path);
      if (native === undefined) continue;
      const outcome = attempt(() => source.decode(native));
      if ('problem' in outcome) {
        this.issues.add(source.name, outcome.problem);
        continue;
      }
      // Text that is made up of more than the key may hold none and still say nothing of the record.
      if (outcome.value === null && source.composed) continue;
      const named = (this.references[field] ??= []);
      if (outcome.value !== null)
        named.push({ refersTo, by: source.by, value: outcome.value, path: source.name });
    }
  }

  readLines({ field, path, name, lines }: LinesStep): void {
    const native = valueAt(this.payload, path);
    if (!isJsonArray(native)) return;
    const before = this.issues.list.length;
    const decoded = lines.decode(native, name, this.context, this.issues, this.keeps);
    if (this.issues.list.length > before) return;
    this.data[field] = decoded.lines;
    if (!this.keeps || this.isKeptWhole(field, decoded.lines)) return;
    this.lines[name] = decoded.rests;
    this.residue.restored.push(path);
  }

  readId({ options, idPath }: CompiledMapping): string | undefined {
    const wire = valueAt(this.payload, idPath);
    if (wire === undefined) return undefined;
    const outcome = attempt(() => options.id.decode(wire));
    if ('value' in outcome) return outcome.value ?? undefined;
    this.issues.add(options.id.path, outcome.problem);
    return undefined;
  }

  /** Notes what the other platform gives back for fields that the record does not have. */
  noteReturns({ steps }: CompiledMapping): void {
    if (this.givenBack === undefined) return;
    for (const step of steps) {
      const given = ownMember(this.givenBack, step.field);
      if (given === undefined || step.kind === 'reference' || Object.hasOwn(this.data, step.field)) continue;
      if (step.kind === 'lines' || !step.binding.readOnly) this.returns[step.field] = asReturned(given);
    }
  }

  rest(): Rest {
    const { restored, literals, absent } = this.residue;
    return {
      fields: withoutValuesAt(this.payload, restored),
      ...(Object.keys(literals).length > 0 && { literals }),
      ...(absent.length > 0 && { absent }),
      ...(Object.keys(this.returns).length > 0 && { returns: this.returns }),
      ...(Object.keys(this.lines).length > 0 && { lines: this.lines }),
    };
  }

  // Whether the other platform gives a field back with another value, or not at all.
  private isKeptWhole(field: string, value: JsonValue): boolean {
    if (this.givenBack === undefined) return false;
    const other = ownMember(this.givenBack, field);
    if (other !== undefined && sameJson(other, value)) return false;
    if (other !== undefined) this.returns[field] = asReturned(other);
    return true;
  }
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
