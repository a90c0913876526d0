import type { EntityType } from '../canonical/entity-type';
import type { Line } from '../canonical/field';
import { pathFrom, type JsonPath } from '../json/json-path';
import type { JsonObject, JsonValue } from '../json/json-value';
import { withoutContext, type Codec, type ValueContext } from './codec';
import type { ValueSchema } from '../canonical/schema';

/** A native field, and what its values look like. */
export interface Place {
  readonly path: JsonPath;
  readonly schema: ValueSchema;
}

/** A native field that says what the value of another one is, such as its unit. It is read beside that, never written. */
export interface Condition {
  readonly path: JsonPath;
  /** Throws Unfit where the other value is not that of the field. */
  readonly check: (wire: JsonValue) => void;
}

/** A canonical field that has its value in one or more native fields. */
export interface ValueBinding<Value> {
  readonly kind: 'value';
  readonly places: readonly Place[];
  /** Read, never written: each platform keeps its own (see Field.ownToPlatform). */
  readonly readOnly: boolean;
  /** Several words may share a literal, so another platform may be more precise. */
  readonly folding: boolean;
  /** The value is at any one of the places, not spread over all of them. */
  readonly alternatives?: true;
  /** How the value is spelt at its place, where it has one place only. */
  readonly codec?: Codec<Value>;
  /** On which the value at its only place is that of the field. */
  readonly condition?: Condition;
  /** The value of every record, where the platform has no native field for it. */
  readonly constant?: Value;
  /** From the native values at `places`; undefined when the field is not there. Throws Unfit. */
  readonly decode: (
    natives: readonly (JsonValue | undefined)[],
    context: ValueContext,
  ) => Value | null | undefined;
  /** The native values for `places`; undefined where nothing is to be written. Throws Unfit. */
  readonly encode: (value: Value | null, context: ValueContext) => readonly (JsonValue | undefined)[];
}

/** One native field that names another record, by its native ID or by its business key. */
export interface ReferenceSource extends Place {
  readonly by: 'id' | 'key';
  /** It is part of another field's text, and that field's binding writes it. */
  readonly composed?: true;
  /** The ID or key as text; null when it names nothing. Throws Unfit. */
  readonly decode: (wire: JsonValue) => string | null;
  /** The wire form of an ID or key; of null, the platform's form of "nothing". Throws Unfit. */
  readonly encode: (value: string | null) => JsonValue;
}

/** A canonical reference, and the native fields that name its record, the best first. */
export interface ReferenceBinding {
  readonly kind: 'reference';
  readonly sources: readonly ReferenceSource[];
}

/** A list of lines, each with a small mapping of its own. */
export interface LinesBinding {
  readonly kind: 'lines';
  readonly path: JsonPath;
  readonly line: LineForm;
}

/** What the lines of a list look like. */
export interface LineForm {
  readonly members: LineTable;
  /** A line as the platform can hold it, where its own arithmetic would give another amount. */
  readonly toWrite?: (line: JsonObject) => JsonObject;
}

/** The platform has no such field. */
export interface AbsentBinding {
  readonly kind: 'absent';
}

export type Binding<Value> = ValueBinding<Value> | ReferenceBinding | LinesBinding | AbsentBinding;

/** The mapping of one line: every member of a canonical line, or `absent`. */
export type LineTable = {
  readonly [Member in keyof Required<Line>]: ValueBinding<NonNullable<Line[Member]>> | AbsentBinding;
};

/** A field at one path: `at('vendor.company', text)`. The path is split at its points. */
export function at<Value>(path: string, codec: Codec<Value>): ValueBinding<Value> {
  return single(path, codec, { readOnly: false, folding: false });
}

/** A field at one path, whose value is refused unless another native field passes a check. */
export function where<Value>(
  path: string,
  check: Condition['check'],
  binding: ValueBinding<Value>,
): ValueBinding<Value> {
  return { ...binding, condition: { path: pathFrom(path), check } };
}

/** A field of which each platform keeps its own: it is read, and never written across. */
export function own<Value>(path: string, codec: Codec<Value>): ValueBinding<Value> {
  return single(path, codec, { readOnly: true, folding: false });
}

/** A field of words of which several may share one literal (see {@link ValueBinding.folding}). */
export function folded<Value>(path: string, codec: Codec<Value>): ValueBinding<Value> {
  return single(path, codec, { readOnly: false, folding: true });
}

/** A field without a native one, because all records of the platform have the same value. */
export function always<Value>(value: Value): ValueBinding<Value> {
  return {
    kind: 'value',
    places: [],
    readOnly: true,
    folding: false,
    constant: value,
    decode: () => value,
    encode: () => [],
  };
}

/** A field in several native ones: each path with the schema of what is there. */
export function across<Value>(
  places: readonly (readonly [path: string, schema: ValueSchema])[],
  binding: Pick<ValueBinding<Value>, 'decode' | 'encode' | 'alternatives'>,
): ValueBinding<Value> {
  return {
    kind: 'value',
    readOnly: false,
    folding: false,
    ...binding,
    places: places.map(([path, schema]) => ({ path: pathFrom(path), schema })),
  };
}

/** A reference, read from these native fields, the best first. */
export function reference(...sources: readonly ReferenceSource[]): ReferenceBinding {
  return { kind: 'reference', sources };
}

/** A native field that names a record. */
export function source(path: string, by: ReferenceSource['by'], codec: Codec<string>): ReferenceSource {
  return {
    path: pathFrom(path),
    schema: codec.schema,
    by,
    decode: (wire) => codec.decode(wire, withoutContext),
    encode: (value) => codec.encode(value, withoutContext) ?? null,
  };
}

/** A list of lines. */
export function linesAt(path: string, line: LineForm): LinesBinding {
  return { kind: 'lines', path: pathFrom(path), line };
}

/** The platform has no such field. */
export const absent: AbsentBinding = { kind: 'absent' };

/** The ID or business key that a native field names another record by. */
export interface NativeReference {
  readonly refersTo: EntityType;
  readonly by: 'id' | 'key';
  readonly value: string;
  /** Native path, for messages. */
  readonly path: string;
}

function single<Value>(
  path: string,
  codec: Codec<Value>,
  flags: Pick<ValueBinding<Value>, 'readOnly' | 'folding'>,
): ValueBinding<Value> {
  return {
    kind: 'value',
    places: [{ path: pathFrom(path), schema: codec.schema }],
    ...flags,
    codec,
    decode: ([native], context) => (native === undefined ? undefined : codec.decode(native, context)),
    encode: (value, context) => [codec.encode(value, context)],
  };
}
