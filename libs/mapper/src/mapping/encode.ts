import { withValuesAt } from '../json/json-path';
import { isJsonArray, ownMember, sameJson, type JsonObject, type JsonValue } from '../json/json-value';
import { attempt, type ValueContext } from './codec';
import type { CompiledMapping } from './compiled-mapping';
import type { EncodeContext } from './encode-context';
import { referenceChanges } from './encode-reference';
import type { FieldIssue } from './mapping-error';
import type { NativeChange } from './native-change';
import { emptyRest, type Rest } from './rest';
import { isReturned } from './returned';
import { spell, spellingsOf, type KeptSpellings } from './spelling';
import type { Step, ValueStep } from './step';
import { valueContextOf } from './value-context';

export type { EncodeContext, TargetReference } from './encode-context';

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
