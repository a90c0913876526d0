import {
  isJsonObject,
  isMoney,
  mappingOf,
  ownMember,
  setMember,
  valueAt,
  type Disagreement,
  type JsonObject,
  type JsonValue,
  type OwnFields,
  type PlatformName,
} from '@app/mapper';
import type { LoadedObject, StoredCopy } from '../loaded-object';

/** A field's value on one platform. */
export interface PlatformValue {
  /**
   * As the platform writes it; an address as an object by native path. Null if the value is derived from other records.
   */
  readonly native: JsonValue;
  readonly canonical: JsonValue;
}

/** A field on which platforms differ, with the value of each. */
export interface DisagreeingField {
  readonly field: string;
  readonly values: Readonly<Partial<Record<PlatformName, PlatformValue>>>;
  /** The platform whose value counts. */
  readonly stands: PlatformName;
  /** Why that platform's value counts. */
  readonly why: string;
}

/**
 * The fields on which an object's records differ, each once, with the value of every platform that has one. Pure.
 *
 * @param own the customer's own fields
 */
export function disagreeingFields(
  { entityType, copies }: LoadedObject,
  disagreements: readonly Disagreement[],
  own?: OwnFields,
): readonly DisagreeingField[] {
  const fields = new Map<string, DisagreeingField>();
  for (const { field, chosen, why } of disagreements) {
    const values = fields.get(field)?.values ?? valuesOf(entityType, copies, field, own);
    // Each comparison starts from the winner of the one before, so the last one names the value that counts.
    fields.set(field, { field, values, stands: chosen.platform, why });
  }
  return [...fields.values()];
}

function valuesOf(
  entityType: LoadedObject['entityType'],
  copies: readonly StoredCopy[],
  field: string,
  own: OwnFields | undefined,
): DisagreeingField['values'] {
  const values: Partial<Record<PlatformName, PlatformValue>> = {};
  for (const copy of copies) {
    const mapping = mappingOf(copy.platform, entityType, { variant: copy.variant, own });
    const derived = copy.derived && ownMember(copy.derived, field);
    const canonical = derived ?? ownMember(mapping.readOnce(copy.payload, copy).data, field);
    if (canonical === undefined || canonical === null) continue;
    values[copy.platform] = {
      native: nativeValue(copy.payload, mapping.pathsOf(field), canonical),
      canonical,
    };
  }
  return values;
}

// A plain value stands in the first of its native fields. A value with members has one native field for each.
function nativeValue(
  payload: JsonObject,
  paths: readonly (readonly string[])[],
  canonical: JsonValue,
): JsonValue {
  const found: Record<string, JsonValue> = {};
  for (const path of paths) {
    const value = valueAt(payload, path);
    if (value !== undefined) setMember(found, path.join('.'), value);
  }
  const [first, ...others] = Object.values(found);
  return isJsonObject(canonical) && !isMoney(canonical) && others.length > 0 ? found : (first ?? null);
}
