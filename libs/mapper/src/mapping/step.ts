import type { EntityType } from '../canonical/entity-type';
import type { JsonPath } from '../json/json-path';
import type { JsonArray, JsonObject, JsonValue } from '../json/json-value';
import type { ReferenceSource, ValueBinding } from './binding';
import type { ValueContext } from './codec';
import type { FieldDescription } from './description';
import type { IssueList } from './issues';
import type { Rest } from './rest';

/** A source of a reference, with its path as text. */
export type NamedSource = ReferenceSource & { readonly name: string };

/** A field of a canonical type on one resource: its binding, with all that follows from the binding alone. */
export type Step = ValueStep | ReferenceStep | LinesStep;

export interface ValueStep {
  readonly kind: 'value';
  readonly field: string;
  readonly binding: ValueBinding<JsonValue>;
  readonly paths: readonly JsonPath[];
  /** The paths as text, as a rest and the messages name them. */
  readonly names: readonly string[];
}

export interface ReferenceStep {
  readonly kind: 'reference';
  readonly field: string;
  readonly refersTo: EntityType;
  readonly sources: readonly NamedSource[];
  /** The sources that are native fields of their own; a composed one is written by another field. */
  readonly written: readonly NamedSource[];
}

export interface LinesStep {
  readonly kind: 'lines';
  readonly field: string;
  readonly path: JsonPath;
  readonly name: string;
  readonly lines: LineMapping;
}

/** The lines of a list, taken apart; in the case of issues the lines are those read until then. */
export interface DecodedLines {
  readonly lines: readonly JsonObject[];
  readonly rests: readonly Rest[];
}

/** The mapping of a list's lines, both ways. */
export interface LineMapping {
  /** Takes the lines apart. It stops reading when the issues are full, so faulty lines cost no more than that. The rests
   * are empty unless they are kept. */
  decode(
    lines: JsonArray,
    path: string,
    context: ValueContext,
    issues: IssueList,
    keeps: boolean,
  ): DecodedLines;
  /** @throws Unfit naming the line and its member that the platform cannot hold */
  encode(lines: JsonArray, rests: readonly Rest[], context: ValueContext): JsonArray;
  describe(): readonly FieldDescription[];
}

/** The step of a value: of a record's field, or of a member of its lines. */
export function valueStep(field: string, binding: ValueBinding<JsonValue>): ValueStep {
  const paths = binding.places.map(({ path }) => path);
  return { kind: 'value', field, binding, paths, names: paths.map((path) => path.join('.')) };
}
