import { fieldsOf } from '../../canonical/types';
import { withoutValueAt, withValuesAt } from '../../json/json-path';
import {
  isJsonArray,
  isJsonObject,
  ownMember,
  sameJson,
  type JsonObject,
  type JsonValue,
} from '../../json/json-value';
import { attempt, Unfit, unfitFrom, type ValueContext } from '../codec';
import type { CompiledMapping } from '../compiled-mapping';
import type { EncodeContext } from './encode-context';
import { referenceChanges, withoutOldNames } from './encode-reference';
import type { FieldIssue } from '../mapping-error';
import type { NativeChange } from '../native-change';
import { emptyResidue, type Residue } from '../reading/residue';
import { isReturned, returnedFields } from '../reading/returned';
import { addSpelt, spellingsOf } from '../reading/spelling';
import type { LinesStep, Step } from '../step';
import { valueContextOf } from '../value-context';

export type { EncodeContext, TargetReference } from './encode-context';

/** The native fields to write, and what does not fit the platform, by canonical field. */
export interface Changes {
  readonly changes: readonly NativeChange[];
  readonly issues: readonly FieldIssue[];
}

/** Joins data and residue to a payload. What does not fit the platform is reported and left out. */
export function encodeData(
  mapping: CompiledMapping,
  data: JsonObject,
  context: EncodeContext,
): { payload: JsonObject; issues: readonly FieldIssue[] } {
  const named = withoutOldNames(mapping, context, context.residue ?? emptyResidue);
  const residue = withoutOldFigures(mapping, data, named);
  const written = mapping.options.toWrite?.(data) ?? data;
  const { changes, issues } = changesFor(mapping, mapping.steps, written, context, residue);
  return {
    payload: withValuesAt(residue.fields, changes),
    issues: [...issues, ...refusedWords(mapping, data)],
  };
}

function refusedWords(
  { options: { refused = {} } }: CompiledMapping,
  data: JsonObject,
): readonly FieldIssue[] {
  return Object.entries(refused).flatMap(([field, problems]) => {
    const word = ownMember(data, field);
    const problem = typeof word === 'string' && Object.hasOwn(problems, word) ? problems[word] : undefined;
    return problem === undefined ? [] : [{ path: field, problem }];
  });
}

/** The data as the platform can hold them, lines included, where its own arithmetic would give other amounts. */
export function dataWritten({ steps, options }: CompiledMapping, data: JsonObject): JsonObject {
  const written: Record<string, JsonValue> = { ...(options.toWrite?.(data) ?? data) };
  for (const step of steps) {
    const lines = step.kind === 'lines' ? ownMember(written, step.field) : undefined;
    if (step.kind !== 'lines' || !isJsonArray(lines)) continue;
    written[step.field] = lines.map((line) => (isJsonObject(line) ? step.lines.written(line) : line));
  }
  return written;
}

/** The native fields of some canonical fields, with the values to write there. */
export function changesOfFields(
  mapping: CompiledMapping,
  fields: readonly string[],
  data: JsonObject,
  context: EncodeContext,
): Changes {
  const steps = fields
    .map((field) => mapping.stepByField.get(field))
    .filter((step): step is Step => step !== undefined);
  return changesFor(mapping, steps, data, context, emptyResidue);
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
  const valueContext = valueContextOf(mapping, context, {}, emptyResidue);
  const isWhole = step.places.length <= 1;
  const natives = attempt(() =>
    (isWhole ? [left, right] : [left, right, null]).map((value) => step.binding.encode(value, valueContext)),
  );
  if ('problem' in natives) return false;
  const [ofLeft = [], ofRight = [], blank = []] = natives.value;
  // The platform has no literal for either word, so it cannot say that they are one.
  if (step.single !== undefined && ofLeft[0] === undefined) return sameJson(left, right);
  // A value of several parts may leave out one that the other value has blank.
  return step.places.every((_, part) => sameJson(ofLeft[part] ?? blank[part], ofRight[part] ?? blank[part]));
}

// The residue without the figures and lines that belong to another value than the present one. Those that the data have are
// written.
function withoutOldFigures(mapping: CompiledMapping, data: JsonObject, residue: Residue): Residue {
  let { fields } = residue;
  for (const [field, paths] of mapping.dependent) {
    const value = ownMember(data, field);
    const isNoted = residue.returns !== undefined && Object.hasOwn(residue.returns, field);
    if (value === undefined || !isNoted || isReturned(residue, field, value)) continue;
    for (const { path, steps, isIn } of paths) {
      const isTold = steps.some((step) => ownMember(data, step.field) !== undefined);
      if (!isTold && isIn(residue.fields)) fields = withoutValueAt(fields, path);
    }
  }
  return fields === residue.fields ? residue : { ...residue, fields };
}

function changesFor(
  mapping: CompiledMapping,
  steps: readonly Step[],
  data: JsonObject,
  context: EncodeContext,
  residue: Residue,
): Changes {
  const valueContext = valueContextOf(mapping, context, data, residue);
  const spellings = spellingsOf(residue);
  const values = mapping.canonical.valuesIn(data);
  const returned = returnedFields(mapping, residue, data);
  const changes: NativeChange[] = [];
  const issues: FieldIssue[] = [];
  for (const step of steps) {
    try {
      if (step.kind === 'reference') {
        changes.push(...referenceChanges(step, context, residue));
        continue;
      }
      const value = values[step.index];
      if (value === undefined || returned.has(step.field)) continue;
      if (value !== null && fieldsOf(mapping.entityType)[step.field]?.price)
        refuseOtherCurrency(context, valueContext);
      if (step.kind === 'lines') addLines(step, value, residue, valueContext, changes);
      else if (!step.binding.readOnly) addSpelt(step, value, spellings, valueContext, changes);
    } catch (error) {
      issues.push({ path: step.field, problem: unfitFrom(error).message });
    }
  }
  return { changes, issues };
}

// A price names no currency, so what it is in must be what the record is in. An amount of money says so itself.
function refuseOtherCurrency({ currency: own }: EncodeContext, { currency: record }: ValueContext): void {
  if (own !== record)
    throw new Unfit(
      `is in ${own ?? 'no currency that is known'}, while the record is in ${record ?? 'no currency that is known'}`,
    );
}

function addLines(
  { path, name, lines }: LinesStep,
  value: JsonValue,
  residue: Residue,
  context: ValueContext,
  changes: NativeChange[],
): void {
  if (isJsonArray(value))
    changes.push({ path, value: lines.encode(value, residue.lines?.[name] ?? [], context) });
}
