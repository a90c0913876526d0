import type { EntityType } from '../canonical/entity-type';
import type { JsonPath } from '../json/json-path';
import type { PathTree } from '../json/path-tree';
import type { JsonArray, JsonObject, JsonValue } from '../json/json-value';
import type { Access } from '../resource/native-resource';
import type { Condition, ReferenceSource, ValueBinding } from './binding';
import type { Codec, ValueContext } from './codec';
import type { FieldDescription } from './describing/description';
import type { IssueList } from './issues';
import type { Residue } from './reading/residue';

/** A source of a reference, with its path as text, who may write it, and the index of the path in the mapping's tree. */
export type NamedSource = ReferenceSource & {
  readonly name: string;
  readonly access: Access;
  readonly place: number;
};

/** A field of a canonical type on one resource: its binding, with all that follows from the binding alone. */
export type Step = ValueStep | ReferenceStep | LinesStep;

export interface ValueStep {
  readonly kind: 'value';
  readonly field: string;
  /** Index of the field in the tree of the canonical fields. */
  readonly index: number;
  readonly binding: ValueBinding<JsonValue>;
  readonly access: Access;
  readonly paths: readonly JsonPath[];
  /** The paths as text, as a residue and the messages name them. */
  readonly names: readonly string[];
  /** Indexes of the paths in the mapping's tree. */
  readonly places: readonly number[];
  /** The only path of the field; undefined for a field with none or several. */
  readonly single: SinglePlace | undefined;
  readonly condition: (Condition & { readonly name: string; readonly place: number }) | undefined;
}

/** The only path of a field, kept apart because most fields have one, and reading a list of one costs more. */
export interface SinglePlace {
  readonly codec: Codec<JsonValue>;
  readonly path: JsonPath;
  readonly name: string;
  readonly place: number;
}

export interface ReferenceStep {
  readonly kind: 'reference';
  readonly field: string;
  readonly index: number;
  readonly refersTo: EntityType;
  readonly sources: readonly NamedSource[];
  /** The sources that are native fields of their own; a composed one is written by another field. */
  readonly written: readonly NamedSource[];
}

export interface LinesStep {
  readonly kind: 'lines';
  readonly field: string;
  readonly index: number;
  readonly path: JsonPath;
  readonly name: string;
  readonly place: number;
  readonly lines: LineMapping;
}

/** The mapping of a list's lines, both ways. */
export interface LineMapping {
  /**
   * Reads the lines. It stops when the issues are full, so faulty lines cost no more than that; in the case of issues
   * the lines are those read until then.
   */
  decode(lines: JsonArray, path: string, context: ValueContext, issues: IssueList): readonly JsonObject[];
  /**
   * The residues of lines that were read without an issue. If the other platform of a preview gives them back, each has the
   * members that come back with another value, and is recognised by the line that comes back.
   */
  residues(
    lines: JsonArray,
    decoded: readonly JsonObject[],
    context: ValueContext,
    givenBack?: readonly JsonObject[],
  ): readonly Residue[];
  /**
   * Writes the lines, each with its own residue.
   *
   * @throws Unfit naming the line and its member that the platform cannot hold
   */
  encode(lines: JsonArray, residues: readonly Residue[], context: ValueContext): JsonArray;
  /** The members of each line of which the original value in its residue counts. */
  returnedIn(lines: JsonArray, residues: readonly Residue[]): readonly ReadonlySet<string>[];
  /** A line of another platform as this one can hold it. */
  written(line: JsonObject): JsonObject;
  describe(): readonly FieldDescription[];
}

/** The trees that give the paths and the fields of one mapping their indexes. */
export interface Trees {
  readonly native: PathTree;
  readonly canonical: PathTree;
}

/** The step of a value: of a record's field, or of a member of its lines. */
export function valueStep(
  field: string,
  binding: ValueBinding<JsonValue>,
  access: Access,
  trees: Trees,
): ValueStep {
  const paths = binding.places.map(({ path }) => path);
  const names = paths.map((path) => path.join('.'));
  const places = paths.map((path) => trees.native.add(path));
  const [path] = paths;
  const [name] = names;
  const [place] = places;
  const isSingle = binding.codec && path !== undefined && name !== undefined && place !== undefined;
  const single = isSingle ? { codec: binding.codec, path, name, place } : undefined;
  const index = trees.canonical.add([field]);
  const condition = binding.condition && {
    ...binding.condition,
    name: binding.condition.path.join('.'),
    place: trees.native.add(binding.condition.path),
  };
  return { kind: 'value', field, index, binding, access, paths, names, places, single, condition };
}
