import { hash } from 'node:crypto';
import { setValuesAt } from '../json/json-path';
import { stringifyJson } from '../json/json-text';
import { PathTree, type ValuesAtPaths } from '../json/path-tree';
import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../json/json-value';
import type { LineTable, ValueBinding } from './binding';
import { shown, Unfit, unfitFrom, type ValueContext } from './codec';
import { describeStep } from './describing/describe';
import type { FieldDescription } from './describing/description';
import type { IssueList } from './issues';
import type { NativeChange } from './native-change';
import { culpritOf, readValue } from './reading/read-value';
import { emptyRest, type Rest } from './reading/rest';
import { addSpelt, Residue, spellingsOf } from './reading/spelling';
import { valueStep, type LineMapping, type Trees, type ValueStep } from './step';

/** The most lines of one list. A longer list stays raw, and one issue says so. */
export const MOST_LINES = 5000;

/** Hexadecimal digits by which a line is known again. */
const MARK_LENGTH = 16;

const compiled = new WeakMap<LineTable, LineMapping>();

/** The mapping of a list's lines, compiled at first use. */
export function lineMapping(table: LineTable): LineMapping {
  let mapping = compiled.get(table);
  if (mapping === undefined) {
    mapping = new CompiledLines(table);
    compiled.set(table, mapping);
  }
  return mapping;
}

class CompiledLines implements LineMapping {
  private readonly trees: Trees = { native: new PathTree(), canonical: new PathTree() };
  private readonly steps: readonly ValueStep[];
  private readonly descriptions: readonly FieldDescription[];

  constructor(table: LineTable) {
    this.steps = Object.entries(table).flatMap(([member, binding]): ValueStep[] => {
      if (binding.kind === 'absent') return [];
      const access = binding.readOnly ? 'read' : 'write';
      // The table was checked member by member against the canonical line; inside, values are JSON.
      return [valueStep(member, binding as ValueBinding<JsonValue>, access, this.trees)];
    });
    this.descriptions = this.steps.map(describeStep);
  }

  decode(lines: JsonArray, path: string, context: ValueContext, issues: IssueList): readonly JsonObject[] {
    const decoded: JsonObject[] = [];
    if (lines.length > MOST_LINES) {
      issues.add(path, `has ${lines.length} lines, more than the ${MOST_LINES} that are taken`);
      return decoded;
    }
    const natives: ValuesAtPaths = [];
    for (let index = 0; index < lines.length; index += 1) {
      if (issues.full) {
        issues.close(path, 'was read no further');
        break;
      }
      const line = lines[index] ?? null;
      if (isJsonObject(line)) {
        this.trees.native.valuesIn(line, natives);
        decoded.push(this.decodeLine(natives, path, index, context, issues));
      } else {
        issues.add(`${path}[${index}]`, `expected an object, received ${shown(line)}`);
      }
    }
    return decoded;
  }

  rests(lines: JsonArray, decoded: readonly JsonObject[], context: ValueContext): readonly Rest[] {
    const natives: ValuesAtPaths = [];
    const values: ValuesAtPaths = [];
    return lines.filter(isJsonObject).map((line, index) => {
      this.trees.native.valuesIn(line, natives);
      this.trees.canonical.valuesIn(decoded[index] ?? {}, values);
      const residue = new Residue();
      for (const step of this.steps) {
        const value = values[step.index];
        if (value !== undefined && !step.binding.readOnly) residue.keep(step, natives, value, context);
      }
      return { ...residue.restOf(line, this.trees.native), of: this.markOf(values) };
    });
  }

  encode(lines: JsonArray, rests: readonly Rest[], context: ValueContext): JsonArray {
    const values: ValuesAtPaths = [];
    const unused = byMark(rests);
    return lines.map((line, index) => {
      if (!isJsonObject(line)) return line;
      this.trees.canonical.valuesIn(line, values);
      const rest = unused.size === 0 ? undefined : unused.get(this.markOf(values))?.pop();
      return this.encodeLine(values, index, rest ?? emptyRest, context);
    });
  }

  describe(): readonly FieldDescription[] {
    return this.descriptions;
  }

  // What a line says on either platform: not the ID, which is each platform's own.
  private markOf(values: ValuesAtPaths): string {
    const said = this.steps.map(({ index, binding }) => (binding.readOnly ? null : (values[index] ?? null)));
    return hash('sha256', stringifyJson(said), 'hex').slice(0, MARK_LENGTH);
  }

  private decodeLine(
    natives: ValuesAtPaths,
    path: string,
    index: number,
    context: ValueContext,
    issues: IssueList,
  ): JsonObject {
    const data: Record<string, JsonValue> = {};
    for (const step of this.steps) {
      if (step.single === undefined && isAbsent(step, natives)) continue;
      try {
        const value = readValue(step, natives, context);
        if (value !== undefined) data[step.field] = value;
      } catch (error) {
        const { message, path: member } = unfitFrom(error);
        issues.add(`${path}[${index}].${member ?? culpritOf(step, natives)}`, message);
      }
    }
    return data;
  }

  private encodeLine(values: ValuesAtPaths, index: number, rest: Rest, context: ValueContext): JsonObject {
    const changes: NativeChange[] = [];
    const spellings = spellingsOf(rest);
    for (const step of this.steps) {
      const value = values[step.index];
      if (value === undefined || step.binding.readOnly) continue;
      try {
        addSpelt(step, value, spellings, context, changes);
      } catch (error) {
        throw new Unfit(`line ${index + 1}, ${step.field}: ${unfitFrom(error).message}`);
      }
    }
    return setValuesAt({ ...rest.fields }, changes);
  }
}

// The rests of each line, the last first: equal lines take theirs in the order in which they were read.
function byMark(rests: readonly Rest[]): ReadonlyMap<string, Rest[]> {
  const found = new Map<string, Rest[]>();
  for (const rest of [...rests].reverse()) {
    if (rest.of === undefined) continue;
    const same = found.get(rest.of);
    if (same === undefined) found.set(rest.of, [rest]);
    else same.push(rest);
  }
  return found;
}

// A field that is spread over several native fields, none of which the line has.
function isAbsent({ places }: ValueStep, natives: ValuesAtPaths): boolean {
  return places.length > 0 && places.every((place) => natives[place] === undefined);
}
