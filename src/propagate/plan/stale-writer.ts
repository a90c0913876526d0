import { ownMember, sameJson, type JsonObject, type JsonValue } from '@app/mapper';

/** A field of which a writer did not know the present value, or that he meant to change, as data. */
export interface FieldConflict {
  readonly field: string;
  /** The value in the version that the writer knows; null for none, and where that version is not known here. */
  readonly base: JsonValue;
  /** The value now. */
  readonly theirs: JsonValue;
  /** The value that the writer wants; where he does not name the field, the one that he knows. */
  readonly mine: JsonValue;
}

/** Stamps change with every write, and nobody writes them: by themselves they are no conflict. */
const stamps: ReadonlySet<string> = new Set(['updated_at', 'created_at']);

/**
 * Compares three ways what a writer with an old version wants: the fields that changed since, and those that he names.
 * Pure.
 *
 * @param base the canonical fields in the version that the writer knows; undefined when nothing is known of that
 * @param theirs the canonical fields now
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
      (field) => !stamps.has(field) && !sameJson(valueOf(base ?? {}, field), valueOf(theirs, field)),
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
