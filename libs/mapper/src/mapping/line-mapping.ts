import { valueAt, withoutValueAt, withValueAt } from '../json/json-path';
import { isJsonObject, sameJson, type JsonArray, type JsonObject, type JsonValue } from '../json/json-value';
import type { FieldDescription, LineTable, ValueBinding } from './binding';
import { Unfit, shown, type ValueContext } from './codec';
import type { FieldIssue } from './mapping-error';
import { emptyRest, type Rest } from './rest';

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
      return lines.map((line, index) =>
        isJsonObject(line) ? encodeLine(steps, line, rests[index] ?? emptyRest, context) : line,
      );
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
  const issues: FieldIssue[] = [];
  let remaining = line;
  for (const [member, binding] of steps) {
    const [path = []] = binding.paths;
    const native = valueAt(line, path);
    if (native === undefined) continue;
    try {
      const value = binding.decode([native], context);
      if (value === undefined) continue;
      data[member] = value;
      if (binding.readOnly) continue;
      const [restored] = binding.encode(value, context);
      if (!sameJson(restored, native)) literals[path.join('.')] = native;
      remaining = withoutValueAt(remaining, path);
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      issues.push({ path: `${place}.${path.join('.')}`, problem: error.message });
    }
  }
  return { data, rest: { fields: remaining, ...(Object.keys(literals).length > 0 && { literals }) }, issues };
}

function encodeLine(
  steps: readonly [string, ValueBinding<JsonValue>][],
  data: JsonObject,
  rest: Rest,
  context: ValueContext,
): JsonObject {
  let line = rest.fields;
  for (const [member, binding] of steps) {
    const value = data[member];
    const [path] = binding.paths;
    if (value === undefined || path === undefined || binding.readOnly) continue;
    const name = path.join('.');
    const kept = rest.literals && Object.hasOwn(rest.literals, name) ? rest.literals[name] : undefined;
    const native =
      kept !== undefined && sameJson(binding.decode([kept], context) ?? undefined, value)
        ? kept
        : binding.encode(value, context)[0];
    if (native !== undefined) line = withValueAt(line, path, native);
  }
  return line;
}
