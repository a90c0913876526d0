import type { EntityType } from '../canonical/entity-type';
import type { Fields } from '../canonical/field';
import type { OwnFields } from '../canonical/own-fields';
import type { Money } from '../money/money';
import { valueAt, type JsonPath } from '../json/json-path';
import { isJsonArray, ownMember, type JsonObject, type JsonValue } from '../json/json-value';
import { accessOf, NativePaths, pathsOfStep } from './reading/access';
import type { NativeFields } from '../resource/native-field';
import type { Access, NativeResource } from '../resource/native-resource';
import type { Binding, NativeReference, ValueBinding } from './binding';
import { currencyNamed } from './codecs/money';
import { compileMapping } from './compile';
import type { CompiledMapping } from './compiled-mapping';
import { absentCurrencyOf, blankCurrencyOf } from './currency';
import {
  decodePayload,
  readPayload,
  type Decoded,
  type DecodeContext,
  type GivenBack,
  type PayloadReading,
} from './reading/decode';
import { describeStep } from './describing/describe';
import type { FieldDescription } from './describing/description';
import {
  areOneToPlatform,
  changesOfFields,
  dataWritten,
  encodeData,
  type Changes,
  type EncodeContext,
} from './writing/encode';
import { namesIn } from './writing/encode-reference';
import type { Residue } from './reading/residue';
import { returnedFields } from './reading/returned';
import { ReadingCache } from './reading/reading-cache';
import type { FieldIssue } from './mapping-error';
import type { MappingTable, ResourceOptions } from './resource';

/** The binding of a customer's own field. */
export type OwnBinding = ValueBinding<string> | ValueBinding<boolean> | ValueBinding<Money>;

/**
 * The mapping of one canonical type on one platform: both directions from one table. The table is compiled once, with
 * everything that follows from it; translating a record is a loop over its steps.
 */
export class Mapping {
  /** Canonical fields that the platform has. */
  readonly mappedFields: readonly string[];
  private readonly native: NativePaths;
  private readonly descriptions: readonly FieldDescription[];
  private readonly readings = new ReadingCache();

  private constructor(
    private readonly compiled: CompiledMapping,
    private readonly table: Readonly<Record<string, Binding<JsonValue>>>,
    /** The customer's own fields that the mapping has beside the built-in ones; undefined for those alone. */
    readonly own?: OwnFields,
  ) {
    this.native = new NativePaths(compiled);
    this.descriptions = compiled.steps.map(describeStep);
    this.mappedFields = compiled.steps.map(({ field }) => field);
  }

  /**
   * Defines the mapping of a type on one of a platform's resources. The resource describes who may write a native
   * field; who may write a canonical field follows from that.
   *
   * @throws TypeError when two fields write one native path, or the resource does not describe one
   */
  static define<F extends Fields>(
    entityType: EntityType,
    resource: NativeResource,
    table: MappingTable<F>,
    options: ResourceOptions,
  ): Mapping {
    // The table was checked field by field against the canonical type; inside, values are JSON.
    const bindings = table as Readonly<Record<string, Binding<JsonValue>>>;
    return new Mapping(compileMapping(entityType, resource, bindings, options), bindings);
  }

  /**
   * The same mapping with a customer's own fields, which are compiled like the others.
   *
   * @param native the native fields that the resource does not describe, or describes in another way
   * @throws TypeError when two fields write one native path
   */
  withOwnFields(
    own: OwnFields,
    bindings: Readonly<Record<string, OwnBinding>>,
    native: NativeFields,
  ): Mapping {
    // As in `define`: each codec is that of its field, and inside, values are JSON.
    const table = { ...this.table, ...(bindings as Readonly<Record<string, Binding<JsonValue>>>) };
    return new Mapping(
      compileMapping(this.entityType, this.resource.withFields(native), table, this.options, own),
      table,
      own,
    );
  }

  get entityType(): EntityType {
    return this.compiled.entityType;
  }

  /** The platform's resource, and how its fields are written. */
  get resource(): NativeResource {
    return this.compiled.resource;
  }

  get options(): ResourceOptions {
    return this.compiled.options;
  }

  /** Takes a payload apart. Never throws on a JSON object: what does not fit is reported and stays in the residue. */
  decode(payload: JsonObject, context: DecodeContext, givenBack?: GivenBack): Decoded {
    return decodePayload(this.compiled, payload, context, givenBack);
  }

  /** Reads a payload as `decode` does; the residue is computed on demand. */
  read(payload: JsonObject, context: DecodeContext): PayloadReading {
    return readPayload(this.compiled, payload, context);
  }

  /**
   * Reads a payload as `read` does, once for all callers with the same currencies. It is for records that several steps read;
   * the payload must not be changed afterwards.
   */
  readOnce(payload: JsonObject, context: DecodeContext): PayloadReading {
    return this.readings.reading(payload, context, (currencies) => this.read(payload, currencies));
  }

  /** The data as this platform can hold them, where its own arithmetic would give other amounts. */
  written(data: JsonObject): JsonObject {
    return dataWritten(this.compiled, data);
  }

  /** The fields of which the original value in a residue counts, because the data have the returned values that it keeps. */
  returnedIn(data: JsonObject, residue: Residue): ReadonlySet<string> {
    return returnedFields(this.compiled, residue, data);
  }

  /** The same for the members of each line of a field. */
  returnedInLines(field: string, data: JsonObject, residue: Residue): readonly ReadonlySet<string>[] {
    const step = this.compiled.stepByField.get(field);
    const lines = ownMember(data, field);
    if (step?.kind !== 'lines' || lines === undefined || !isJsonArray(lines)) return [];
    return step.lines.returnedIn(lines, residue.lines?.[step.name] ?? []);
  }

  /** Joins data and residue to a payload. What does not fit the platform is reported and left out. */
  encode(data: JsonObject, context: EncodeContext): { payload: JsonObject; issues: readonly FieldIssue[] } {
    return encodeData(this.compiled, data, context);
  }

  /**
   * The native fields of some canonical fields, with the values to write there. The changes affect no other native
   * field of the record.
   */
  changesOf(fields: readonly string[], data: JsonObject, context: EncodeContext): Changes {
    return changesOfFields(this.compiled, fields, data, context);
  }

  /** Who may write a canonical field on this platform; undefined when the platform has no such field. */
  accessTo(field: string): Access | undefined {
    const step = this.compiled.stepByField.get(field);
    return step && accessOf(step);
  }

  /**
   * Why no client can set a canonical field of a new record on this platform: a clause with the field as its subject,
   * or an empty text if the platform gives no reason. Undefined if clients can.
   */
  whyNotCreated(field: string): string | undefined {
    const reasons = this.pathsOf(field).map((path) => this.resource.whyNotCreated(path.join('.')));
    if (this.accessTo(field) !== 'read' && reasons.some((reason) => reason === undefined)) return undefined;
    return reasons.find((reason) => reason !== undefined) ?? '';
  }

  /**
   * Why no client can change a canonical field of an existing record on this platform: a clause with the field as its
   * subject, or an empty text if the platform gives no reason. Undefined if clients can.
   *
   * @param isLive whether the record is on the platform itself, not in a sandbox
   */
  whyNotChanged(field: string, isLive: boolean): string | undefined {
    const names = this.pathsOf(field).map((path) => path.join('.'));
    const reasons = names.map((name) => this.resource.whyNotChanged(name, isLive));
    const access = this.accessTo(field);
    const isWritten = access === 'write' || access === 'lines';
    if (isWritten && reasons.some((reason) => reason === undefined)) return undefined;
    return reasons.find((reason) => reason !== undefined) ?? '';
  }

  /** Whether two canonical values of a field have the same form on this platform. */
  cannotTell(field: string, left: JsonValue, right: JsonValue, context: EncodeContext): boolean {
    return areOneToPlatform(this.compiled, field, [left, right], context);
  }

  /** Whether several words of a field share a literal here, so that another platform may know more precisely. */
  foldsWords(field: string): boolean {
    const step = this.compiled.stepByField.get(field);
    return step?.kind === 'value' && step.binding.folding;
  }

  /** The native paths of a canonical field, the best first; none when the platform has no such field. */
  pathsOf(field: string): readonly JsonPath[] {
    const step = this.compiled.stepByField.get(field);
    return step === undefined ? [] : pathsOfStep(step);
  }

  /** The first native path of a canonical field, for messages; undefined when the platform has no such field. */
  pathOf(field: string): string | undefined {
    return this.pathsOf(field)[0]?.join('.');
  }

  /** The currency that a payload's own field names; undefined where it has no such field, or names none that exists. */
  currencyNamedIn(payload: JsonObject): string | undefined {
    const { currencyPath } = this.compiled;
    return currencyPath && currencyNamed(valueAt(payload, currencyPath));
  }

  /** The currency of a payload's amounts as long as its own field names none; undefined if it is not known. */
  currencyUnnamedIn(payload: JsonObject, context: DecodeContext): string | undefined {
    const { currencyPath } = this.compiled;
    const isAbsent = currencyPath === undefined || valueAt(payload, currencyPath) === undefined;
    return isAbsent ? absentCurrencyOf(this.compiled, context) : blankCurrencyOf(this.compiled, context);
  }

  /** The records that a residue of this platform names, by the field of the reference. */
  namesIn(residue: Residue): Readonly<Record<string, readonly NativeReference[]>> {
    return namesIn(this.compiled, residue);
  }

  /** How a reference can be written here: by native ID, by business key, or not at all. */
  referenceNames(field: string): readonly ('id' | 'key')[] {
    const step = this.compiled.stepByField.get(field);
    return step?.kind === 'reference' ? step.written.map(({ by }) => by) : [];
  }

  /** Canonical fields that have a value, whole or in part, at one of these native paths, within or around it. */
  fieldsAt(paths: readonly JsonPath[]): readonly string[] {
    return this.native.fieldsAt(paths);
  }

  /**
   * The read-only native path that is equal to, above or below a native path; undefined if the path may be written into an
   * existing record. The cost grows with the members of the path.
   */
  fixedPathAt(path: JsonPath): JsonPath | undefined {
    return this.native.fixedAt(path);
  }

  /** Native paths that may be written into an existing record and have a canonical field. */
  get writablePaths(): readonly JsonPath[] {
    return this.native.writable;
  }

  /** Native paths that are read-only in an existing record. */
  get fixedPaths(): readonly string[] {
    return this.native.fixed.map((path) => path.join('.'));
  }

  /** What the platform has for a canonical field; undefined when it has no such field. */
  descriptionOf(field: string): FieldDescription | undefined {
    return this.descriptions.find((description) => description.field === field);
  }

  /** Canonical fields that must be known before the platform can create such a record. */
  get requiredToCreate(): readonly string[] {
    return this.compiled.requiredToCreate;
  }

  /** For documentation: each canonical field with its native ones. */
  describe(): readonly FieldDescription[] {
    return this.descriptions;
  }
}
