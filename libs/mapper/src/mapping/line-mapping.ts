import { withoutValuesAt, withValuesAt, valueAt } from '../json/json-path';
import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '../json/json-value';
import type { LineTable, ValueBinding } from './binding';
import { attempt, shown, Unfit, type ValueContext } from './codec';
import { describeStep } from './describe';
import type { IssueList } from './issues';
import type { NativeChange } from './native-change';
import { emptyRest, type Rest } from './rest';
import { keepSpelling, spell, spellingsOf, type Residue } from './spelling';
import { valueStep, type LineMapping, type ValueStep } from './step';

/** Most lines of one list. A longer list is left as it is, and one issue says so. */
export const MOST_LINES = 10_000;

const compiled = new WeakMap<LineTable, LineMapping>();

/** The mapping of a list's lines, compiled at first use. */
export function lineMapping(table: LineTable): LineMapping {
  let mapping = compiled.get(table);
  if (mapping === undefined) {
    mapping = compile(table);
    compiled.set(table, mapping);
  }
  return mapping;
}

function compile(table: LineTable): LineMapping {
  const steps = Object.entries(table).flatMap(([member, binding]): ValueStep[] =>
    // The table was checked member by member against the canonical line; inside, values are JSON.
    binding.kind === 'absent' ? [] : [valueStep(member, binding as ValueBinding<JsonValue>)],
  );
  const descriptions = steps.map(describeStep);
  return {
    decode(lines, path, context, issues, keeps) {
      const decoded: JsonObject[] = [];
      const rests: Rest[] = [];
      if (lines.length > MOST_LINES) {
        issues.add(path, `has ${lines.length} lines, more than the ${MOST_LINES} that are taken`);
        return { lines: decoded, rests };
      }
      for (const [index, line] of lines.entries()) {
        if (issues.full) {
          issues.close(path, 'was read no further');
          break;
        }
        const place = `${path}[${index}]`;
        if (!isJsonObject(line)) {
          issues.add(place, `expected an object, received ${shown(line)}`);
          continue;
        }
        const residue: Residue = { restored: [], literals: {}, absent: [] };
        decoded.push(decodeLine(steps, line, place, context, issues, keeps ? residue : undefined));
        rests.push(keeps ? restOf(line, residue) : emptyRest);
      }
      return { lines: decoded, rests };
    },
    encode(lines, rests, context) {
      return lines.map((line, index) => {
        if (!isJsonObject(line)) return line;
        const outcome = attempt(() => encodeLine(steps, line, rests[index] ?? emptyRest, context));
        if ('problem' in outcome) throw new Unfit(`line ${index + 1}, ${outcome.problem}`);
        return outcome.value;
      });
    },
    describe: () => descriptions,
  };
}

function decodeLine(
  steps: readonly ValueStep[],
  line: JsonObject,
  place: string,
  context: ValueContext,
  issues: IssueList,
  residue: Residue | undefined,
): JsonObject {
  const data: Record<string, JsonValue> = {};
  for (const step of steps) {
    const { field, binding, paths, names } = step;
    const natives = paths.map((path) => valueAt(line, path));
    if (paths.length > 0 && natives.every((native) => native === undefined)) continue;
    const outcome = attempt(() => binding.decode(natives, context));
    if ('problem' in outcome) {
      const culprit = names.find((_, index) => natives[index] !== undefined) ?? '';
      issues.add(`${place}.${outcome.path ?? culprit}`, outcome.problem);
    } else if (outcome.value !== undefined) {
      data[field] = outcome.value;
      if (residue && !binding.readOnly) keepSpelling(step, natives, outcome.value, context, residue);
    }
  }
  return data;
}

function restOf(line: JsonObject, { restored, literals, absent }: Residue): Rest {
  return {
    fields: withoutValuesAt(line, restored),
    ...(Object.keys(literals).length > 0 && { literals }),
    ...(absent.length > 0 && { absent }),
  };
}

function encodeLine(
  steps: readonly ValueStep[],
  data: JsonObject,
  rest: Rest,
  context: ValueContext,
): JsonObject {
  const changes: NativeChange[] = [];
  const spellings = spellingsOf(rest);
  for (const step of steps) {
    const { field, binding, paths } = step;
    const value = ownMember(data, field);
    if (value === undefined || binding.readOnly) continue;
    const outcome = attempt(() => spell(step, value, spellings, context));
    if ('problem' in outcome) throw new Unfit(`${field}: ${outcome.problem}`);
    for (const [index, path] of paths.entries()) {
      const native = outcome.value[index];
      if (native !== undefined) changes.push({ path, value: native });
    }
  }
  return withValuesAt(rest.fields, changes);
}
