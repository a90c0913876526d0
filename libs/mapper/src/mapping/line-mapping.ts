import { hash } from 'node:crypto';
import { groupBy } from '../group-by';
import { setValuesAt } from '../json/json-path';
import { stringifyJson } from '../json/json-text';
import { PathTree, type ValuesAtPaths } from '../json/path-tree';
import {
  isJsonObject,
  ownMember,
  sameJson,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../json/json-value';
import type { LineForm, ValueBinding } from './binding';
import { shown, Unfit, unfitFrom, withoutContext, type ValueContext } from './codec';
import { describeStep } from './describing/describe';
import type { FieldDescription } from './describing/description';
import type { IssueList } from './issues';
import type { NativeChange } from './native-change';
import { culpritOf, readValue } from './reading/read-value';
import { emptyResidue, type Residue } from './reading/residue';
import { isReturned } from './reading/returned';
import { addSpelt, ResidueBuilder, spellingsOf } from './reading/spelling';
import { valueStep, type LineMapping, type Trees, type ValueStep } from './step';

/** The most lines of one list. A longer list stays raw, and one issue says so. */
export const MOST_LINES = 5000;

/** Hexadecimal digits of the digest by which a line is recognised. */
const MARK_LENGTH = 16;

const compiled = new WeakMap<LineForm, LineMapping>();

/** The mapping of a list's lines, compiled at first use. */
export function lineMapping(form: LineForm): LineMapping {
  let mapping = compiled.get(form);
  if (mapping === undefined) {
    mapping = new CompiledLines(form);
    compiled.set(form, mapping);
  }
  return mapping;
}

class CompiledLines implements LineMapping {
  private readonly trees: Trees = { native: new PathTree(), canonical: new PathTree() };
  private readonly steps: readonly ValueStep[];
  private readonly idStep: ValueStep | undefined;
  private readonly descriptions: readonly FieldDescription[];
  private readonly toWrite: LineForm['toWrite'];

  constructor({ members, toWrite }: LineForm) {
    this.toWrite = toWrite;
    this.steps = Object.entries(members).flatMap(([member, binding]): ValueStep[] => {
      if (binding.kind === 'absent') return [];
      const access = binding.readOnly ? 'read' : 'write';
      // The table was checked member by member against the canonical line; inside, values are JSON.
      return [valueStep(member, binding as ValueBinding<JsonValue>, access, this.trees)];
    });
    this.idStep = this.steps.find(({ field }) => field === 'id');
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

  residues(
    lines: JsonArray,
    decoded: readonly JsonObject[],
    context: ValueContext,
    givenBack = decoded,
  ): readonly Residue[] {
    const natives: ValuesAtPaths = [];
    const values: ValuesAtPaths = [];
    const given: ValuesAtPaths = [];
    return lines.filter(isJsonObject).map((line, index) => {
      this.trees.native.valuesIn(line, natives);
      this.trees.canonical.valuesIn(decoded[index] ?? {}, values);
      this.trees.canonical.valuesIn(givenBack[index] ?? {}, given);
      const builder = new ResidueBuilder();
      let returns: Record<string, JsonValue> | undefined;
      for (const step of this.steps) {
        const value = values[step.index];
        const other = given[step.index];
        // A member that does not come back is kept whole.
        if (other === undefined || step.binding.readOnly) continue;
        if (value !== undefined && sameJson(other, value)) builder.keep(step, natives, value, context);
        else (returns ??= {})[step.field] = other;
      }
      return {
        ...builder.residueOf(line, this.trees.native),
        ...(returns && { returns }),
        of: this.markOf(given),
      };
    });
  }

  encode(lines: JsonArray, residues: readonly Residue[], context: ValueContext): JsonArray {
    const found = this.restsOf(lines, residues, context);
    const values: ValuesAtPaths = [];
    return lines.map((line, index) => {
      if (!isJsonObject(line)) return line;
      const residue = found[index];
      // A line of the platform's own is written as it was.
      const written = residue === undefined ? this.written(line) : line;
      this.trees.canonical.valuesIn(written, values);
      return this.encodeLine(values, index, residue ?? emptyResidue, context);
    });
  }

  returnedIn(lines: JsonArray, residues: readonly Residue[]): readonly ReadonlySet<string>[] {
    const found = this.restsOf(lines, residues, withoutContext);
    return lines.map((line, index) => {
      const members = Object.keys(found[index]?.returns ?? {}).filter((member) => {
        const value = isJsonObject(line) ? ownMember(line, member) : undefined;
        return value !== undefined && isReturned(found[index] ?? emptyResidue, member, value);
      });
      return new Set(members);
    });
  }

  written(line: JsonObject): JsonObject {
    return this.toWrite?.(line) ?? line;
  }

  describe(): readonly FieldDescription[] {
    return this.descriptions;
  }

  /**
   * The residue of each line: that of the kept line with the same content, otherwise that of the line with the same ID,
   * whose content has changed since. Lines of another platform have other IDs.
   */
  private restsOf(
    lines: JsonArray,
    residues: readonly Residue[],
    context: ValueContext,
  ): readonly (Residue | undefined)[] {
    const found: (Residue | undefined)[] = lines.map(() => undefined);
    if (residues.length === 0) return found;
    const values: ValuesAtPaths = [];
    const wanted = lines.map((line): LineKeys => {
      if (!isJsonObject(line)) return {};
      this.trees.canonical.valuesIn(line, values);
      const id = ownMember(line, 'id');
      return { mark: this.markOf(values), ...(typeof id === 'string' && { id }) };
    });
    const kept = residues.map((residue) => ({
      residue,
      keys: { mark: residue.of, id: this.idOf(residue.fields, context) },
    }));
    const unused = new Set(kept);
    for (const keyOf of [bothOf, ({ mark }: LineKeys) => mark, ({ id }: LineKeys) => id]) {
      // The last first: equal lines take theirs in the order in which they were read.
      const groups = groupBy([...unused].reverse(), ({ keys }) => keyOf(keys));
      for (const [index, keys] of wanted.entries()) {
        const key = found[index] === undefined ? keyOf(keys) : undefined;
        const one = key === undefined ? undefined : groups.get(key)?.pop();
        if (one === undefined) continue;
        unused.delete(one);
        found[index] = one.residue;
      }
    }
    return found;
  }

  /** The canonical ID of a native line; undefined where it has none that fits. */
  private idOf(line: JsonObject, context: ValueContext): string | undefined {
    const { idStep } = this;
    if (idStep === undefined) return undefined;
    const natives: ValuesAtPaths = [];
    this.trees.native.valuesIn(line, natives);
    try {
      const id = readValue(idStep, natives, context);
      return typeof id === 'string' ? id : undefined;
    } catch (error) {
      unfitFrom(error);
      return undefined;
    }
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

  private encodeLine(
    values: ValuesAtPaths,
    index: number,
    residue: Residue,
    context: ValueContext,
  ): JsonObject {
    const changes: NativeChange[] = [];
    const spellings = spellingsOf(residue);
    for (const step of this.steps) {
      const value = values[step.index];
      if (value === undefined || step.binding.readOnly || isReturned(residue, step.field, value)) continue;
      try {
        addSpelt(step, value, spellings, context, changes);
      } catch (error) {
        throw new Unfit(`line ${index + 1}, ${step.field}: ${unfitFrom(error).message}`);
      }
    }
    return setValuesAt({ ...residue.fields }, changes);
  }
}

/** The keys by which a line is recognised: the digest of its content, and its ID. */
interface LineKeys {
  readonly mark?: string | undefined;
  readonly id?: string | undefined;
}

function bothOf({ mark, id }: LineKeys): string | undefined {
  return mark === undefined || id === undefined ? undefined : `${mark} ${id}`;
}

// A field that is spread over several native fields, none of which the line has.
function isAbsent({ places }: ValueStep, natives: ValuesAtPaths): boolean {
  return places.length > 0 && places.every((place) => natives[place] === undefined);
}
