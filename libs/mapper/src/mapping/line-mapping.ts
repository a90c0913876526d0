import { assignAt, valueAt, withoutValuesAt, type JsonPath } from '../json/json-path';
import { isJsonObject, ownMember, type JsonArray, type JsonObject, type JsonValue } from '../json/json-value';
import type { FieldDescription, LineTable, ValueBinding } from './binding';
import { attempt, shown, Unfit, type ValueContext } from './codec';
import type { FieldIssue } from './mapping-error';
import { emptyRest, type Rest } from './rest';
import { keptSpelling, spell } from './spelling';

interface LineMapping {
  decode(
    lines: JsonArray,
    path: string,
    context: ValueContext,
  ): { lines: readonly JsonObject[]; rests: readonly Rest[]; issues: readonly FieldIssue[] };
  encode(lines: JsonArray, rests: readonly Rest[], context: ValueContext): JsonArray;
  describe(): readonly FieldDescription[];
}

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
  const steps = Object.entries(table).flatMap(([member, binding]): [string, ValueBinding<JsonValue>][] =>
    binding.kind === 'absent' ? [] : [[member, binding as ValueBinding<JsonValue>]],
  );
  return {
    decode(lines, path, context) {
      const decoded: JsonObject[] = [];
      const rests: Rest[] = [];
      const issues: FieldIssue[] = [];
      lines.forEach((line, index) => {
        const place = `${path}[${index}]`;
        if (!isJsonObject(line)) {
          issues.push({ path: place, problem: `expected an object, received ${shown(line)}` });
          return;
        }
        const result = decodeLine(steps, line, place, context);
        decoded.push(result.data);
        rests.push(result.rest);
        issues.push(...result.issues);
      });
      return { lines: decoded, rests, issues };
    },
    encode(lines, rests, context) {
      return lines.map((line, index) => {
        if (!isJsonObject(line)) return line;
        const outcome = attempt(() => encodeLine(steps, line, rests[index] ?? emptyRest, context));
        if ('problem' in outcome) throw new Unfit(`line ${index + 1}, ${outcome.problem}`);
        return outcome.value;
      });
    },
    describe() {
      return steps.map(([member, { paths, expects, access }]) => ({
        field: member,
        paths: paths.map((path) => path.join('.')),
        expects,
        access,
      }));
    },
  };
}

function decodeLine(
  steps: readonly [string, ValueBinding<JsonValue>][],
  line: JsonObject,
  place: string,
  context: ValueContext,
): { data: JsonObject; rest: Rest; issues: readonly FieldIssue[] } {
  const data: Record<string, JsonValue> = {};
  const literals: Record<string, JsonValue> = {};
  const absent: string[] = [];
  const issues: FieldIssue[] = [];
  const restored: JsonPath[] = [];
  for (const [member, binding] of steps) {
    const natives = binding.paths.map((path) => valueAt(line, path));
    const outcome = attempt(() => binding.decode(natives, context));
    if ('problem' in outcome) {
      const culprit = binding.paths.find((_, index) => natives[index] !== undefined) ?? [];
      issues.push({ path: `${place}.${outcome.path ?? culprit.join('.')}`, problem: outcome.problem });
      continue;
    }
    if (outcome.value === undefined) continue;
    data[member] = outcome.value;
    if (binding.readOnly) continue;
    const spelling = keptSpelling(binding, natives, outcome.value, context);
    restored.push(...spelling.restored);
    absent.push(...spelling.absent);
    Object.assign(literals, spelling.literals);
  }
  return {
    data,
    rest: {
      fields: withoutValuesAt(line, restored),
      ...(Object.keys(literals).length > 0 && { literals }),
      ...(absent.length > 0 && { absent }),
    },
    issues,
  };
}

function encodeLine(
  steps: readonly [string, ValueBinding<JsonValue>][],
  data: JsonObject,
  rest: Rest,
  context: ValueContext,
): JsonObject {
  const line: Record<string, JsonValue> = { ...rest.fields };
  for (const [member, binding] of steps) {
    const value = ownMember(data, member);
    if (value === undefined || binding.readOnly) continue;
    const outcome = attempt(() => spell(binding, value, rest, context));
    if ('problem' in outcome) throw new Unfit(`${member}: ${outcome.problem}`);
    binding.paths.forEach((path, index) => {
      const native = outcome.value[index];
      if (native !== undefined) assignAt(line, path, native);
    });
  }
  return line;
}
