import {
  canBeNull,
  commonMembers,
  CUSTOM,
  fieldsOf,
  isCanonicalIdOf,
  isJsonObject,
  isOwnFieldName,
  mergePatch,
  ownMember,
  sameJson,
  shortestText,
  withArticle,
  withPrefixedFields,
  type EntityType,
  type Field,
  type FieldIssue,
  type JsonObject,
  type JsonValue,
  type OwnFields,
} from '@app/mapper';
import { notWritable } from '../refusal';

/**
 * Canonical fields that a change sets, in the order of the canonical type, with the values in their original spelling.
 */
export type FieldValues = ReadonlyMap<string, JsonValue>;

/** The fields that a patch in canonical form sets, and the problems of its values. */
export interface CanonicalIntent {
  readonly fields: FieldValues;
  /** Fields that the patch names with their present value. A platform with another value adopts it. */
  readonly restated: FieldValues;
  readonly problems: readonly FieldIssue[];
  /** Members of `custom` that are no own field of the type. */
  readonly unknown: readonly FieldIssue[];
}

/**
 * Refuses unknown fields and fields that clients may not write.
 *
 * @throws ChangeRefused `not_writable`, naming each field
 */
export function refuseUnknownFields(entityType: EntityType, patch: JsonObject): void {
  const known = fieldsOf(entityType);
  const issues = Object.keys(patch).flatMap((path): FieldIssue[] => {
    // The customer's own fields are checked later, in canonicalIntent, because the customer's terms are not loaded yet.
    if (path === CUSTOM) {
      return isJsonObject(patch[path]) ? [] : [{ path, problem: 'expected an object with own fields' }];
    }
    if (commonMembers.has(path)) return [{ path, problem: 'is not for clients to write' }];
    return Object.hasOwn(known, path) ? [] : [noField(entityType, path)];
  });
  if (issues.length > 0) throw notWritable(issues);
}

function noField(entityType: EntityType, path: string): FieldIssue {
  return { path, problem: `is no field of ${withArticle(entityType)}` };
}

/**
 * The fields that a patch in canonical form sets. A member with its present value is restated, not set.
 *
 * @param current the canonical fields, with own ones under their prefixed names
 * @param own the customer's own fields
 */
export function canonicalIntent(
  entityType: EntityType,
  current: JsonObject,
  patch: JsonObject,
  own?: OwnFields,
): CanonicalIntent {
  const known = fieldsOf(entityType, own);
  const named = withPrefixedFields(patch);
  const unknown = Object.keys(named)
    .filter((name) => isOwnFieldName(name) && !Object.hasOwn(known, name))
    .map((name) => noField(entityType, name));
  const problems: FieldIssue[] = [];
  const fields = new Map<string, JsonValue>();
  const restated = new Map<string, JsonValue>();
  for (const [name, field] of Object.entries(known)) {
    const member = ownMember(named, name);
    if (member === undefined) continue;
    const before = ownMember(current, name) ?? null;
    const merged = isJsonObject(member) && isJsonObject(before) ? mergePatch(before, member) : member;
    const value = normalised(field, merged);
    if (sameJson(before, value)) {
      if (value !== null) restated.set(name, value);
      continue;
    }
    fields.set(name, value);
    const problem = problemOf(field, value);
    if (problem !== undefined) problems.push({ path: name, problem });
  }
  return { fields, restated, problems, unknown };
}

/**
 * A value as it is spelt when a platform's record is read: a decimal as its shortest text, and an empty text as null. A
 * value that does not fit the field stays as it is.
 */
function normalised({ type, accepts }: Field<unknown>, value: JsonValue): JsonValue {
  if (type === 'decimal') return typeof value === 'string' ? (shortestText(value) ?? value) : value;
  if (type === 'text') return value === '' ? null : value;
  if (type !== 'address' || !isJsonObject(value) || !accepts(value)) return value;
  const parts = Object.entries(value).map(([part, text]) => [part, text === '' ? null : text] as const);
  return parts.every(([, text]) => text === null) ? null : Object.fromEntries(parts);
}

/** Why a field cannot hold a value; undefined if it can. */
export function problemOf(field: Field<unknown>, value: JsonValue): string | undefined {
  const cleared = field.indispensable ? isBlank(value) : value === null;
  if (cleared) return canBeNull(field) ? undefined : 'cannot be cleared';
  if (field.refersTo !== undefined && typeof value === 'string' && !isCanonicalIdOf(field.refersTo, value)) {
    return `expected ${field.expects}`;
  }
  return field.accepts(value) ? undefined : `expected ${field.expects}`;
}

// An empty text is treated like null.
function isBlank(value: JsonValue): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}
