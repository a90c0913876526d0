import { valueAt, withoutValuesAt } from '../json/json-path';
import { isJsonArray, ownMember, sameJson, type JsonObject, type JsonValue } from '../json/json-value';
import type { NativeReference } from './binding';
import { attempt, type ValueContext } from './codec';
import type { CompiledMapping } from './compiled-mapping';
import { IssueList } from './issues';
import type { Rest } from './rest';
import { asReturned } from './returned';
import { keepSpelling, type Residue } from './spelling';
import type { LinesStep, ReferenceStep, ValueStep } from './step';

/**
 * What the other platform of a preview gives back for each canonical field, as far as it has the field. The rest
 * keeps whole the fields that come back with another value, and the absence of fields that the platform does not have.
 */
export type GivenBack = JsonObject;

/** One payload on its way into data and rest. */
export class PayloadReader {
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
