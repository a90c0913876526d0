import { ownMember, sameJson, timestampFields, type JsonObject, type JsonValue } from '@app/mapper';

/**
 * One field of the three-way comparison in the response to a writer with an outdated version: a field whose present
 * value differs from the writer's version, or that the writer wants to change.
 */
export interface FieldConflict {
  readonly field: string;
  /** The value in the writer's version; null for none, and if that version is not known here. */
  readonly base: JsonValue;
  /** The present value. */
  readonly theirs: JsonValue;
  /**
   * The writer's value: the requested one, or for a field that the writer does not name, the one in the writer's
   * version.
   */
  readonly mine: JsonValue;
}

/**
 * A three-way comparison for a writer with an old version: the fields that changed since, and those that the writer
 * names. Pure.
 *
 * @param base the canonical fields in the writer's version; undefined if that version is unknown
 * @param theirs the present canonical fields
 * @param wanted the fields that the writer names, with their values
 */
export function conflictsOf(
  base: JsonObject | undefined,
  theirs: JsonObject,
  wanted: ReadonlyMap<string, JsonValue>,
): readonly FieldConflict[] {
  const changed = base === undefined ? [] : [...Object.keys(base), ...Object.keys(theirs)];
  const fields = new Set([
    ...changed.filter(
      (field) => !timestampFields.has(field) && !sameJson(valueOf(base ?? {}, field), valueOf(theirs, field)),
    ),
    ...wanted.keys(),
  ]);
  return [...fields].sort().map((field) => {
    const known = valueOf(base ?? {}, field);
    return {
      field,
      base: known,
      theirs: valueOf(theirs, field),
      mine: wanted.has(field) ? (wanted.get(field) ?? null) : known,
    };
  });
}

function valueOf(object: JsonObject, field: string): JsonValue {
  return ownMember(object, field) ?? null;
}
