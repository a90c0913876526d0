import { valueAt, type JsonPath } from '../json/json-path';
import { isJsonArray, type JsonArray, type JsonObject } from '../json/json-value';
import type { NativeField, NativeFields, WritePlace } from './native-field';

/**
 * Who may write a field on a platform: any client, only the client that creates the record, none, or none directly because
 * the platform computes it from the document's lines.
 */
export type Access = 'write' | 'create' | 'read' | 'lines';

/** The description of one resource of a platform. */
export interface ResourceDescription {
  /** As the platform names it: an entity set, the last part of a path. */
  readonly name: string;
  /** Path of the calls that write records, where it is not the name. */
  readonly path?: string;
  /** Member of a body that the record stands in, where it is not the body itself. */
  readonly wrapper?: string;
  /** In the order in which the platform checks them. */
  readonly fields: readonly NativeFields[];
  /** Native list of the lines that the total is the sum of. Lines are changed on the platform. */
  readonly lines?: string;
  /** Members of a line that the platform sets itself: time stamps, and figures that follow from other members. */
  readonly computedInLines?: readonly string[];
  /** Native fields that a new record must have a value for, in the order in which messages name them. */
  readonly requiredToCreate: readonly string[];
  /** Members that the protocol adds to records: how their names begin, and those that every record has. */
  readonly annotations?: { readonly prefix: string; readonly names: readonly string[] };
  /** The platform's words for a record that it locks whole. */
  readonly lockWords?: string;
  /** The kind of document in the platform's messages. */
  readonly documentWord?: string;
}

/** A resource of a platform, with how each of its fields is written. */
export class NativeResource {
  readonly name: string;
  readonly path: string;
  readonly wrapper: string | undefined;
  readonly lines: string | undefined;
  readonly requiredToCreate: readonly string[];
  readonly annotations: ResourceDescription['annotations'];
  readonly lockWords: string | undefined;
  readonly documentWord: string | undefined;
  /** By name, in the order in which the platform checks them. */
  readonly fields: ReadonlyMap<string, NativeField>;
  /** Name of the total that is changed through the only line. */
  readonly total: string | undefined;
  /** The parents under which a record is created, the outermost first. */
  readonly scope: readonly Extract<WritePlace, { readonly kind: 'scope' }>[];
  /** The annotations, fields and list of lines that clients cannot write into an existing record. */
  readonly fixedPaths: readonly JsonPath[];
  /** The name under which the platform takes each reference, with the path at which it shows the reference. */
  readonly writeNames: Readonly<Record<string, string>>;

  /**
   * @throws TypeError when a field is described twice, when a read-only field has no reason, or when a required field
   *   is not described
   */
  constructor(private readonly description: ResourceDescription) {
    const { name, path = name, wrapper, lines, requiredToCreate, annotations } = description;
    const fields = description.fields.flat();
    this.name = name;
    this.path = path;
    this.wrapper = wrapper;
    this.lines = lines;
    this.requiredToCreate = requiredToCreate;
    this.annotations = annotations;
    this.lockWords = description.lockWords;
    this.documentWord = description.documentWord;
    this.fields = new Map(fields.map((field) => [field.name, field]));
    if (this.fields.size < fields.length) throw new TypeError(`${name} describes a field twice`);
    for (const field of fields) {
      if (accessOf(field) === 'read' && field.why === undefined)
        throw new TypeError(`${name}.${field.name} is never written, and does not say why`);
    }
    for (const required of requiredToCreate) this.field(required);
    this.total = fields.find(({ changing }) => changing?.kind === 'lines')?.name;
    this.scope = fields.flatMap(({ creating }) => (creating?.kind === 'scope' ? [creating] : []));
    this.fixedPaths = [
      ...(annotations?.names ?? []).map((annotation) => [annotation]),
      ...fields.filter((field) => ['create', 'read'].includes(accessOf(field))).map((field) => field.path),
      ...(lines === undefined ? [] : [[lines]]),
    ];
    this.writeNames = Object.fromEntries(fields.flatMap(writeNameOf));
  }

  /** The same resource with further fields. They replace those of the same name. */
  withFields(added: NativeFields): NativeResource {
    const names = new Set(added.map(({ name }) => name));
    const kept = this.description.fields.flat().filter(({ name }) => !names.has(name));
    return new NativeResource({ ...this.description, fields: [kept, added] });
  }

  /** Who may write a field. @throws TypeError for a field that the resource does not have */
  accessTo(name: string): Access {
    return accessOf(this.field(name));
  }

  /** Whether no client may write a field. False for a field that is not described. */
  isReadOnly(name: string): boolean {
    const field = this.fields.get(name);
    return field !== undefined && field.creating === undefined && field.changing === undefined;
  }

  /**
   * Why no client can set a field of a new record: a clause with the field as its subject. Undefined if clients can,
   * and for a field without a description.
   */
  whyNotCreated(name: string): string | undefined {
    const field = this.fields.get(name);
    return field === undefined || isSetAtCreation(field) ? undefined : (field.why ?? 'is not written');
  }

  /**
   * Why no client can change a field of an existing record: a clause with the field as its subject. Undefined if
   * clients can, and for a field without a description.
   *
   * @param isLive whether the record is on the platform itself, not in a sandbox
   */
  whyNotChanged(name: string, isLive: boolean): string | undefined {
    const field = this.fields.get(name);
    if (field === undefined) return undefined;
    const { changing, withheld, why } = field;
    const isTaken = changing !== undefined && withheld === undefined;
    return isTaken && !(isLive && changing.kind === 'sandbox') ? undefined : why;
  }

  /** The IDs of a record's parents as text, by type, as far as the record shows them. */
  parentsIn(payload: JsonObject): Readonly<Partial<Record<'project' | 'contract', string>>> {
    const parents: Partial<Record<'project' | 'contract', string>> = {};
    for (const { creating, path } of this.fields.values()) {
      if (creating?.kind !== 'scope') continue;
      const id = valueAt(payload, path);
      if (typeof id === 'string' || typeof id === 'number') parents[creating.of] = String(id);
    }
    return parents;
  }

  /** The lines that the record's total is the sum of; none for a resource without lines. */
  linesIn(payload: JsonObject): JsonArray {
    const lines = this.lines === undefined ? undefined : valueAt(payload, this.lines.split('.'));
    return isJsonArray(lines) ? lines : [];
  }

  /** Whether the platform sets a member of a line itself. */
  isComputedInLine(member: string): boolean {
    const { annotations, computedInLines = [] } = this.description;
    return (
      computedInLines.includes(member) || (annotations !== undefined && member.startsWith(annotations.prefix))
    );
  }

  private field(name: string): NativeField {
    const field = this.fields.get(name);
    if (field === undefined) throw new TypeError(`${this.name} has no field ${name}`);
    return field;
  }
}

function accessOf(field: NativeField): Access {
  const { changing, withheld } = field;
  if (changing !== undefined && withheld === undefined) return changing.kind === 'lines' ? 'lines' : 'write';
  return isSetAtCreation(field) ? 'create' : 'read';
}

function isSetAtCreation({ creating, withheld }: NativeField): boolean {
  return creating !== undefined && creating.kind !== 'parent' && withheld !== 'always';
}

/** `vendor.id` is written as `vendor_id`. A client may use either name. */
function writeNameOf({ name, creating, changing }: NativeField): readonly (readonly [string, string])[] {
  const place = changing ?? creating;
  return name.endsWith('.id') && place !== undefined && 'name' in place && place.name !== name
    ? [[place.name, name]]
    : [];
}
