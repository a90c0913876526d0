import { valueAt, withValuesAt } from '../json/json-path';
import { isJsonArray, ownMember, sameJson, type JsonObject, type JsonValue } from '../json/json-value';
import { attempt, type Outcome, type ValueContext } from './codec';
import { currencyNamed, isBlankCurrency } from './codecs/money';
import type { CompiledMapping } from './compiled-mapping';
import { blankCurrencyOf } from './currency';
import type { FieldIssue } from './mapping-error';
import type { NativeChange } from './native-change';
import { emptyRest, type Rest } from './rest';
import { isAsReturned } from './returned';
import { spell, spellingsOf, type KeptSpellings } from './spelling';
import type { NamedSource, ReferenceStep, Step, ValueStep } from './step';

/** How the record that a reference points at is named on the target. */
export interface TargetReference {
  readonly id?: string | undefined;
  readonly key?: string | undefined;
}

/** What encoding knows beside the data. A reference field that is not there keeps what the rest says. */
export interface EncodeContext {
  readonly references?: Readonly<Record<string, TargetReference | null>>;
  readonly rest?: Rest;
  readonly currency: string | undefined;
  readonly localCurrency: string;
  /** Currency of a record that names none; without it, such a record is taken to be in `currency`. */
  readonly inheritedCurrency?: string;
}

/** The native fields to write, and what does not fit the platform, by canonical field. */
export interface Changes {
  readonly changes: readonly NativeChange[];
  readonly issues: readonly FieldIssue[];
}

/** Joins data and rest to a payload. What does not fit the platform is reported and left out. */
export function encodeData(
  mapping: CompiledMapping,
  data: JsonObject,
  context: EncodeContext,
): { payload: JsonObject; issues: readonly FieldIssue[] } {
  const rest = context.rest ?? emptyRest;
  const { changes, issues } = changesFor(mapping, mapping.steps, data, context, rest);
  return { payload: withValuesAt(rest.fields, changes), issues };
}

/** The native fields that some canonical fields have their values in, with the values to write there. */
export function changesOfFields(
  mapping: CompiledMapping,
  fields: readonly string[],
  data: JsonObject,
  context: EncodeContext,
): Changes {
  const steps = fields
    .map((field) => mapping.stepByField.get(field))
    .filter((step): step is Step => step !== undefined);
  return changesFor(mapping, steps, data, context, emptyRest);
}

/** Whether two values of a field have one native form, so that the platform sees no difference. */
export function areOneToPlatform(
  mapping: CompiledMapping,
  field: string,
  [left, right]: readonly [JsonValue, JsonValue],
  context: EncodeContext,
): boolean {
  const step = mapping.stepByField.get(field);
  if (step?.kind !== 'value') return step === undefined;
  const valueContext = valueContextOf(mapping, context, {}, emptyRest);
  const natives = attempt(() => [
    step.binding.encode(left, valueContext),
    step.binding.encode(right, valueContext),
  ]);
  if ('problem' in natives) return false;
  const [ofLeft = [], ofRight = []] = natives.value;
  return (
    ofLeft.length === ofRight.length && ofLeft.every((native, index) => sameJson(native, ofRight[index]))
  );
}

function changesFor(
  mapping: CompiledMapping,
  steps: readonly Step[],
  data: JsonObject,
  context: EncodeContext,
  rest: Rest,
): Changes {
  const valueContext = valueContextOf(mapping, context, data, rest);
  const spellings = spellingsOf(rest);
  const changes: NativeChange[] = [];
  const issues: FieldIssue[] = [];
  for (const step of steps) {
    const outcome = attempt(() => nativeValues(step, data, context, { valueContext, rest, spellings }));
    if ('problem' in outcome) issues.push({ path: step.field, problem: outcome.problem });
    // A field has a handful of native ones at most, so spreading them is safe.
    else changes.push(...outcome.value);
  }
  return { changes, issues };
}

/** What the values of one record are written with. */
interface Writing {
  readonly valueContext: ValueContext;
  readonly rest: Rest;
  readonly spellings: KeptSpellings;
}

function nativeValues(
  step: Step,
  data: JsonObject,
  context: EncodeContext,
  writing: Writing,
): readonly NativeChange[] {
  switch (step.kind) {
    case 'value':
      return valueChanges(step, data, writing);
    case 'reference':
      return referenceChanges(step, context, writing.rest);
    case 'lines': {
      const value = ownMember(data, step.field);
      if (!isJsonArray(value) || isReturned(writing.rest, step.field, value)) return [];
      const rests = writing.rest.lines?.[step.name] ?? [];
      return [{ path: step.path, value: step.lines.encode(value, rests, writing.valueContext) }];
    }
  }
}

function valueChanges(step: ValueStep, data: JsonObject, writing: Writing): readonly NativeChange[] {
  const { valueContext, rest, spellings } = writing;
  const value = ownMember(data, step.field);
  if (value === undefined || step.binding.readOnly || isReturned(rest, step.field, value)) return [];
  const natives = spell(step, value, spellings, valueContext);
  return step.paths.flatMap((path, index): NativeChange[] => {
    const native = natives[index];
    return native === undefined ? [] : [{ path, value: native }];
  });
}

function referenceChanges(
  { field, written }: ReferenceStep,
  { references }: EncodeContext,
  rest: Rest,
): readonly NativeChange[] {
  const target = references?.[field];
  if (target === undefined || (target === null && saysNothing(written, rest))) return [];
  return written.flatMap((source): NativeChange[] => {
    const name = target === null ? null : target[source.by];
    if (name === undefined) return [];
    const value = source.encode(name);
    return isSpelling(source, value, rest) ? [] : [{ path: source.path, value }];
  });
}

function valueContextOf(
  mapping: CompiledMapping,
  context: EncodeContext,
  data: JsonObject,
  rest: Rest,
): ValueContext {
  return {
    currency: currencyWritten(mapping, data, context, rest),
    localCurrency: context.localCurrency,
    blankCurrency: blankCurrencyOf(mapping, context),
    keys: keysOf(mapping, context, rest),
  };
}

// Where the rest says the record's currency and nothing overwrites it, that one counts: amounts in another are
// refused rather than written beside it.
function currencyWritten(
  mapping: CompiledMapping,
  data: JsonObject,
  context: EncodeContext,
  rest: Rest,
): string | undefined {
  const native = mapping.currencyPath && valueAt(rest.fields, mapping.currencyPath);
  if (native === undefined) return context.currency;
  const overwrites = mapping.currencyFields.some((field) => {
    const value = ownMember(data, field);
    return value !== undefined && !isReturned(rest, field, value);
  });
  if (overwrites) return context.currency;
  return isBlankCurrency(native)
    ? (blankCurrencyOf(mapping, context) ?? context.currency)
    : currencyNamed(native);
}

// Keys of the records referred to; of a reference that stays as the rest has it, the key that the rest has.
function keysOf(
  { steps }: CompiledMapping,
  { references = {} }: EncodeContext,
  rest: Rest,
): Readonly<Record<string, string>> {
  const keys: Record<string, string> = {};
  for (const step of steps) {
    if (step.kind !== 'reference') continue;
    const target = references[step.field];
    const key = target === undefined ? composedKey(step, rest) : target?.key;
    if (key !== undefined) keys[step.field] = key;
  }
  return keys;
}

function composedKey({ sources }: ReferenceStep, rest: Rest): string | undefined {
  for (const source of sources) {
    if (!source.composed) continue;
    const literal = rest.literals && ownMember(rest.literals, source.name);
    const native = literal ?? valueAt(rest.fields, source.path);
    if (native === undefined) continue;
    const outcome = attempt(() => source.decode(native));
    if ('value' in outcome && outcome.value !== null) return outcome.value;
  }
  return undefined;
}

/** Whether the rest names the same record at a source's path already, if in another spelling. */
function isSpelling(source: NamedSource, value: JsonValue, rest: Rest): boolean {
  const said = saidAt(source, rest);
  return said !== undefined && 'value' in said && sameJson(source.encode(said.value), value);
}

/** Whether the rest says already that there is no such record. */
function saysNothing(sources: readonly NamedSource[], rest: Rest): boolean {
  const said = sources.map((source) => saidAt(source, rest)).filter((outcome) => outcome !== undefined);
  return said.length > 0 && said.every((outcome) => 'value' in outcome && outcome.value === null);
}

function saidAt(source: NamedSource, rest: Rest): Outcome<string | null> | undefined {
  const native = valueAt(rest.fields, source.path);
  return native === undefined ? undefined : attempt(() => source.decode(native));
}

function isReturned(rest: Rest, field: string, value: JsonValue): boolean {
  const returned = rest.returns && ownMember(rest.returns, field);
  return returned !== undefined && isAsReturned(returned, value);
}
