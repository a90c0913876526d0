import type { EntityType } from '../canonical/entity-type';
import { fieldsOf } from '../canonical/types';
import type { Fields, ValueOf } from '../canonical/field';
import type { JsonPath } from '../json/json-path';
import { assignAt, valueAt, withoutValuesAt } from '../json/json-path';
import { isJsonArray, ownMember, sameJson, type JsonObject, type JsonValue } from '../json/json-value';
import { attempt, type Outcome, type ValueContext } from './codec';
import { currencyNamed, isBlankCurrency } from './codecs/money';
import type {
  Access,
  Binding,
  FieldDescription,
  LinesBinding,
  NativeReference,
  ReferenceBinding,
  ReferenceSource,
  ValueBinding,
} from './binding';
import { lineMapping } from './line-mapping';
import type { FieldIssue } from './mapping-error';
import { emptyRest, type Rest } from './rest';
import { keptSpelling, spell } from './spelling';

/** One binding for every field of a canonical type; a field the platform lacks is said to be `absent`. */
export type MappingTable<F extends Fields> = { readonly [Name in keyof F]: Binding<ValueOf<F[Name]>> };

/** What a mapping needs to know of a resource beside its fields. */
export interface ResourceOptions {
  /** Native field of the record's ID, and how an ID is read from it. */
  readonly id: {
    readonly path: string;
    readonly decode: (wire: JsonValue) => string | null;
    readonly encode: (id: string) => JsonValue;
  };
  /** Native field of the record's currency, where it has one. */
  readonly currency?: string;
  /** What a blank currency means: the company's local currency, or whatever the record inherits. */
  readonly blankCurrency?: 'local' | 'inherited';
  /** Native fields that nobody writes and that have no canonical home: IDs, time stamps, computed figures. */
  readonly fixed?: readonly string[];
  /** Native list of the lines that the amount is the sum of. */
  readonly amountLines?: string;
  /** Fields under the name the platform takes them by on writing, and the one it shows them under. */
  readonly writeNames?: Readonly<Record<string, string>>;
  /** Canonical fields that must be known before the platform can create such a record. */
  readonly requiredToCreate: readonly string[];
  /** Canonical fields that follow from others. They are never written. */
  readonly derive?: (data: JsonObject) => JsonObject;
}

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
  readonly issues: readonly FieldIssue[];
}

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

/** A native field to write. */
export interface NativeChange {
  readonly path: JsonPath;
  readonly value: JsonValue;
}

type Step =
  | { readonly field: string; readonly binding: ValueBinding<JsonValue> }
  | { readonly field: string; readonly binding: ReferenceBinding }
  | { readonly field: string; readonly binding: LinesBinding };

/**
 * The mapping of one canonical type on one platform: both directions from one table. The table is turned into a list
 * of steps once; translating a record is a loop over them.
 */
export class Mapping {
  private readonly steps: readonly Step[];
  private readonly stepByField: ReadonlyMap<string, Step>;
  private readonly currencyPath: JsonPath | undefined;
  private readonly idPath: JsonPath;

  private constructor(
    readonly entityType: EntityType,
    readonly resource: string,
    table: Readonly<Record<string, Binding<JsonValue>>>,
    readonly options: ResourceOptions,
  ) {
    const fields = fieldsOf(entityType);
    this.steps = Object.entries(table).flatMap(([field, binding]): Step[] => {
      if (binding.kind === 'absent') return [];
      if ((binding.kind === 'reference') !== (fields[field]?.refersTo !== undefined)) {
        throw new TypeError(`${resource}.${field}: a reference field takes a reference, and no other does`);
      }
      return [{ field, binding } as Step];
    });
    this.stepByField = new Map(this.steps.map((step) => [step.field, step]));
    this.currencyPath = options.currency?.split('.');
    this.idPath = options.id.path.split('.');
    this.refuseSharedPaths();
  }

  /**
   * Defines the mapping of a type on one of a platform's resources.
   *
   * @throws TypeError when two fields write one native path
   */
  static define<F extends Fields>(
    entityType: EntityType,
    resource: string,
    table: MappingTable<F>,
    options: ResourceOptions,
  ): Mapping {
    // The table was checked field by field against the canonical type; inside, values are JSON.
    return new Mapping(entityType, resource, table as Readonly<Record<string, Binding<JsonValue>>>, options);
  }

  /** Takes a payload apart. Never throws on a JSON object: what does not fit is reported and stays in the rest. */
  decode(payload: JsonObject, context: DecodeContext, givenBack?: GivenBack): Decoded {
    const issues: FieldIssue[] = [];
    const { currency, namesCurrency } = this.currencyOf(payload, context);
    const valueContext: ValueContext = {
      currency,
      localCurrency: context.localCurrency,
      blankCurrency: this.blankCurrency(context),
    };
    const data: Record<string, JsonValue> = {};
    const references: Record<string, NativeReference[]> = {};
    const literals: Record<string, JsonValue> = {};
    const missing: string[] = [];
    const lines: Record<string, readonly Rest[]> = {};
    const returns: Record<string, JsonValue> = {};
    const isKeptWhole = (field: string, value: JsonValue): boolean => {
      if (givenBack === undefined) return false;
      const other = ownMember(givenBack, field);
      if (other !== undefined && sameJson(other, value)) return false;
      if (other !== undefined) returns[field] = other;
      return true;
    };
    const restored: JsonPath[] = [];

    for (const { field, binding } of this.steps) {
      switch (binding.kind) {
        case 'value': {
          const natives = binding.paths.map((path) => valueAt(payload, path));
          const outcome = attempt(() => binding.decode(natives, valueContext));
          if ('problem' in outcome) {
            const culprit = binding.paths.find((_, index) => natives[index] !== undefined) ?? [];
            issues.push({ path: outcome.path ?? culprit.join('.'), problem: outcome.problem });
            break;
          }
          if (outcome.value === undefined) break;
          data[field] = outcome.value;
          if (binding.readOnly || isKeptWhole(field, outcome.value)) break;
          const spelling = keptSpelling(binding, natives, outcome.value, valueContext);
          restored.push(...spelling.restored);
          missing.push(...spelling.absent);
          Object.assign(literals, spelling.literals);
          break;
        }
        case 'reference': {
          const refersTo = fieldsOf(this.entityType)[field]?.refersTo;
          for (const source of binding.sources) {
            const native = valueAt(payload, source.path);
            if (native === undefined || refersTo === undefined) continue;
            const path = source.path.join('.');
            const outcome = attempt(() => source.decode(native));
            if ('problem' in outcome) {
              issues.push({ path, problem: outcome.problem });
              continue;
            }
            // Text that is made up of more than the key may hold none and still say nothing of the record.
            if (outcome.value === null && source.composed) continue;
            const named = (references[field] ??= []);
            if (outcome.value !== null) named.push({ refersTo, by: source.by, value: outcome.value, path });
          }
          break;
        }
        case 'lines': {
          const native = valueAt(payload, binding.path);
          if (!isJsonArray(native)) break;
          const outcome = lineMapping(binding.line).decode(native, binding.path.join('.'), valueContext);
          if (outcome.issues.length > 0) {
            issues.push(...outcome.issues);
            break;
          }
          data[field] = outcome.lines;
          if (isKeptWhole(field, outcome.lines)) break;
          lines[binding.path.join('.')] = outcome.rests;
          restored.push(binding.path);
          break;
        }
      }
    }

    for (const { field, binding } of this.steps) {
      const given = givenBack && ownMember(givenBack, field);
      if (given === undefined || field in data || binding.kind === 'reference') continue;
      if (binding.kind === 'lines' || !binding.readOnly) returns[field] = given;
    }

    const idOutcome = attempt(() => {
      const wire = valueAt(payload, this.idPath);
      return wire === undefined ? null : this.options.id.decode(wire);
    });
    if ('problem' in idOutcome) issues.push({ path: this.options.id.path, problem: idOutcome.problem });

    return {
      nativeId: 'problem' in idOutcome ? undefined : (idOutcome.value ?? undefined),
      data: this.options.derive ? { ...data, ...this.options.derive(data) } : data,
      references,
      rest: {
        fields: withoutValuesAt(payload, restored),
        ...(Object.keys(literals).length > 0 && { literals }),
        ...(missing.length > 0 && { absent: missing }),
        ...(Object.keys(returns).length > 0 && { returns }),
        ...(Object.keys(lines).length > 0 && { lines }),
      },
      currency,
      namesCurrency,
      issues,
    };
  }

  /** Joins data and rest to a payload. What does not fit the platform is reported and left out. */
  encode(data: JsonObject, context: EncodeContext): { payload: JsonObject; issues: readonly FieldIssue[] } {
    const issues: FieldIssue[] = [];
    const rest = context.rest ?? emptyRest;
    const valueContext = this.valueContextOf(context, data, rest);
    const payload: Record<string, JsonValue> = { ...rest.fields };
    for (const step of this.steps) {
      const outcome = attempt(() => this.nativeValues(step, data, context, valueContext, rest));
      if ('problem' in outcome) {
        issues.push({ path: step.field, problem: outcome.problem });
        continue;
      }
      for (const { path, value } of outcome.value) assignAt(payload, path, value);
    }
    return { payload, issues };
  }

  /**
   * The native fields that some canonical fields stand in, with the values to write there. Nothing else of a record is
   * touched by such a change.
   */
  changesOf(
    fields: readonly string[],
    data: JsonObject,
    context: EncodeContext,
  ): { changes: readonly NativeChange[]; issues: readonly FieldIssue[] } {
    const changes: NativeChange[] = [];
    const issues: FieldIssue[] = [];
    const valueContext = this.valueContextOf(context);
    for (const field of fields) {
      const step = this.stepByField.get(field);
      if (step === undefined) continue;
      const outcome = attempt(() => this.nativeValues(step, data, context, valueContext, emptyRest));
      if ('problem' in outcome) issues.push({ path: field, problem: outcome.problem });
      else changes.push(...outcome.value);
    }
    return { changes, issues };
  }

  /** Who may write a canonical field on this platform; undefined when the platform has no such field. */
  accessTo(field: string): Access | undefined {
    const binding = this.stepByField.get(field)?.binding;
    if (binding === undefined) return undefined;
    if (binding.kind === 'value') return binding.access;
    if (binding.kind === 'lines') return 'read';
    const accesses = binding.sources.filter((source) => !source.composed).map((source) => source.access);
    return (['write', 'create'] as const).find((access) => accesses.includes(access)) ?? 'read';
  }

  /** Whether two canonical values of a field look the same on this platform: it cannot tell them apart. */
  cannotTell(field: string, left: JsonValue, right: JsonValue, context: EncodeContext): boolean {
    const step = this.stepByField.get(field);
    if (step?.binding.kind !== 'value') return step === undefined;
    const { binding } = step;
    const valueContext = this.valueContextOf(context);
    const natives = attempt(() => [binding.encode(left, valueContext), binding.encode(right, valueContext)]);
    if ('problem' in natives) return false;
    const [ofLeft, ofRight] = natives.value;
    return sameJson(lists(ofLeft), lists(ofRight));
  }

  /** Whether several words of a field share a literal here, so that another platform may know more precisely. */
  foldsWords(field: string): boolean {
    const binding = this.stepByField.get(field)?.binding;
    return binding?.kind === 'value' && binding.folding;
  }

  /** The first native path a canonical field stands in, for messages; undefined when the platform has no such field. */
  pathOf(field: string): string | undefined {
    return this.describe().find((entry) => entry.field === field)?.paths[0];
  }

  /** How a reference can be written here: by native ID, by business key, or not at all. */
  referenceNames(field: string): readonly ('id' | 'key')[] {
    const binding = this.stepByField.get(field)?.binding;
    if (binding?.kind !== 'reference') return [];
    return binding.sources.filter((source) => !source.composed).map((source) => source.by);
  }

  /** Canonical fields that stand, whole or in part, in one of these native paths or within it. */
  fieldsAt(paths: readonly JsonPath[]): readonly string[] {
    return this.steps.flatMap(({ field, binding }) => {
      if (binding.kind === 'lines') return [];
      const own = binding.kind === 'value' ? binding.paths : binding.sources.map((source) => source.path);
      return own.some((path) => paths.some((other) => overlap(path, other))) ? [field] : [];
    });
  }

  /** Native paths that may be written into an existing record and have a canonical field. */
  get writablePaths(): readonly JsonPath[] {
    return this.steps.flatMap(({ binding }): readonly JsonPath[] => {
      switch (binding.kind) {
        case 'value':
          return binding.access === 'write' || binding.access === 'lines' ? binding.paths : [];
        case 'reference':
          return binding.sources.filter((source) => source.access === 'write').map((source) => source.path);
        case 'lines':
          return [];
      }
    });
  }

  /** Canonical fields this platform has. */
  get mappedFields(): readonly string[] {
    return this.steps.map((step) => step.field);
  }

  /** For documentation: each canonical field with the native ones it stands in. */
  describe(): readonly FieldDescription[] {
    return this.steps.map(({ field, binding }): FieldDescription => {
      const access = this.accessTo(field) ?? 'read';
      switch (binding.kind) {
        case 'value':
          return {
            field,
            paths: binding.paths.map((path) => path.join('.')),
            expects: binding.expects,
            access,
          };
        case 'reference':
          return {
            field,
            paths: binding.sources.map((source) => source.path.join('.')),
            expects: binding.sources.map((source) => `${source.expects} (by ${source.by})`).join(', else '),
            access,
          };
        case 'lines':
          return {
            field,
            paths: [binding.path.join('.')],
            expects: 'a list of lines',
            access,
            members: lineMapping(binding.line).describe(),
          };
      }
    });
  }

  /** Native paths that nobody may write into an existing record. */
  get fixedPaths(): readonly string[] {
    const mapped = this.steps.flatMap(({ binding }) => {
      switch (binding.kind) {
        case 'value':
          return binding.access === 'write' || binding.access === 'lines'
            ? []
            : binding.paths.map((path) => path.join('.'));
        case 'reference':
          return binding.sources
            .filter((source) => source.access !== 'write' && !source.composed)
            .map((source) => source.path.join('.'));
        case 'lines':
          return [binding.path.join('.')];
      }
    });
    return [this.options.id.path, ...mapped, ...(this.options.fixed ?? [])];
  }

  private currencyOf(payload: JsonObject, context: DecodeContext) {
    const wire = this.currencyPath && valueAt(payload, this.currencyPath);
    if (isBlankCurrency(wire)) return { currency: this.blankCurrency(context), namesCurrency: false };
    return { currency: currencyNamed(wire), namesCurrency: true };
  }

  private valueContextOf(
    context: EncodeContext,
    data: JsonObject = {},
    rest: Rest = emptyRest,
  ): ValueContext {
    return {
      currency: this.currencyWritten(data, context, rest),
      localCurrency: context.localCurrency,
      blankCurrency: this.blankCurrency(context),
      keys: this.keysOf(context, rest),
    };
  }

  private blankCurrency({
    inheritedCurrency,
    localCurrency,
  }: Omit<EncodeContext, 'currency'>): string | undefined {
    return this.options.blankCurrency === 'local' ? localCurrency : inheritedCurrency;
  }

  // Where the rest says the record's currency and nothing overwrites it, that one counts: amounts in another are
  // refused rather than written beside it.
  private currencyWritten(data: JsonObject, context: EncodeContext, rest: Rest): string | undefined {
    const path = this.currencyPath;
    const native = path && valueAt(rest.fields, path);
    if (path === undefined || native === undefined) return context.currency;
    const overwrites = this.steps.some(({ field, binding }) => {
      const value = data[field];
      const stands = binding.kind === 'value' && binding.paths.some((other) => sameJson(other, path));
      return stands && value !== undefined && !isReturned(rest, field, value);
    });
    if (overwrites) return context.currency;
    return isBlankCurrency(native)
      ? (this.blankCurrency(context) ?? context.currency)
      : currencyNamed(native);
  }

  // Keys of the records referred to; of a reference that stays as the rest has it, the key that stands there.
  private keysOf({ references = {} }: EncodeContext, rest: Rest): Readonly<Record<string, string>> {
    const keys: Record<string, string> = {};
    for (const { field, binding } of this.steps) {
      if (binding.kind !== 'reference') continue;
      const target = references[field];
      const key = target === undefined ? composedKey(binding, rest) : target?.key;
      if (key !== undefined) keys[field] = key;
    }
    return keys;
  }

  private nativeValues(
    { field, binding }: Step,
    data: JsonObject,
    context: EncodeContext,
    valueContext: ValueContext,
    rest: Rest,
  ): readonly NativeChange[] {
    switch (binding.kind) {
      case 'value': {
        const value = data[field];
        if (value === undefined || binding.readOnly || isReturned(rest, field, value)) return [];
        const natives = spell(binding, value, rest, valueContext);
        return binding.paths.flatMap((path, index) => {
          const native = natives[index];
          return native === undefined ? [] : [{ path, value: native }];
        });
      }
      case 'reference': {
        const target = context.references?.[field];
        if (target === undefined) return [];
        const sources = binding.sources.filter(({ composed }) => !composed);
        if (target === null && saysNothing(sources, rest)) return [];
        return sources.flatMap((source) => {
          const name = target === null ? null : target[source.by];
          if (name === undefined) return [];
          const value = source.encode(name);
          return isSpelling(source, value, rest) ? [] : [{ path: source.path, value }];
        });
      }
      case 'lines': {
        const value = data[field];
        if (!isJsonArray(value) || isReturned(rest, field, value)) return [];
        const rests = rest.lines?.[binding.path.join('.')] ?? [];
        return [{ path: binding.path, value: lineMapping(binding.line).encode(value, rests, valueContext) }];
      }
    }
  }

  // Two fields on one path, or one inside the other's, would overwrite each other in the order of the table.
  private refuseSharedPaths(): void {
    const written: { readonly field: string; readonly path: JsonPath }[] = [];
    for (const { field, binding } of this.steps) {
      for (const path of writtenPaths(binding)) {
        const other = written.find((earlier) => earlier.field !== field && overlap(earlier.path, path));
        if (other !== undefined) {
          throw new TypeError(`${this.resource}: ${field} and ${other.field} both write ${path.join('.')}`);
        }
        written.push({ field, path });
      }
    }
  }
}

function writtenPaths(binding: Step['binding']): readonly JsonPath[] {
  switch (binding.kind) {
    case 'value':
      return binding.readOnly ? [] : binding.paths;
    case 'reference':
      return binding.sources.filter(({ composed }) => !composed).map(({ path }) => path);
    case 'lines':
      return [binding.path];
  }
}

/** Whether one path is the other, or leads to it. */
export function overlap(one: JsonPath, other: JsonPath): boolean {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  return shorter.every((member, index) => member === longer[index]);
}

/** Whether the rest names the same record at a source's path already, if in another spelling. */
function isSpelling(source: ReferenceSource, value: JsonValue, rest: Rest): boolean {
  const said = saidAt(source, rest);
  return said !== undefined && 'value' in said && sameJson(source.encode(said.value), value);
}

/** Whether the rest says already that there is no such record. */
function saysNothing(sources: readonly ReferenceSource[], rest: Rest): boolean {
  const said = sources.map((source) => saidAt(source, rest)).filter((outcome) => outcome !== undefined);
  return said.length > 0 && said.every((outcome) => 'value' in outcome && outcome.value === null);
}

function saidAt(source: ReferenceSource, rest: Rest): Outcome<string | null> | undefined {
  const native = valueAt(rest.fields, source.path);
  return native === undefined ? undefined : attempt(() => source.decode(native));
}

function composedKey({ sources }: ReferenceBinding, rest: Rest): string | undefined {
  for (const source of sources) {
    const name = source.path.join('.');
    const literal = rest.literals && Object.hasOwn(rest.literals, name) ? rest.literals[name] : undefined;
    const native = literal ?? valueAt(rest.fields, source.path);
    if (!source.composed || native === undefined) continue;
    const outcome = attempt(() => source.decode(native));
    if ('value' in outcome && outcome.value !== null) return outcome.value;
  }
  return undefined;
}

function isReturned(rest: Rest, field: string, value: JsonValue): boolean {
  const returned = rest.returns && ownMember(rest.returns, field);
  return returned !== undefined && sameJson(returned, value);
}

function lists(natives: readonly (JsonValue | undefined)[] | undefined): JsonValue {
  return (natives ?? []).map((native) => (native === undefined ? [] : [native]));
}
