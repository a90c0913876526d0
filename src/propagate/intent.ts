import {
  fieldsOf,
  isCanonicalIdOf,
  isJsonObject,
  mergePatch,
  ownMember,
  sameJson,
  type EntityType,
  type Field,
  type FieldIssue,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import { notWritable, untranslatable } from './refusals';

/** Canonical fields that a change sets, in the order of the canonical type, with the values as they were written. */
export type Intent = ReadonlyMap<string, JsonValue>;

const commonMembers = ['id', 'object', 'external_ids', 'provider_metadata'];

/**
 * Refuses what is no field of a type, or not for clients to write.
 *
 * @throws ApiError 400 naming the field
 */
export function refuseUnknownFields(entityType: EntityType, patch: JsonObject): void {
  for (const name of Object.keys(patch)) {
    if (commonMembers.includes(name)) throw notWritable(name, 'is not for clients to write');
    if (!Object.hasOwn(fieldsOf(entityType), name)) throw notWritable(name, `is no field of a ${entityType}`);
  }
}

/**
 * What a patch in canonical form sets. A member that already has its value is left out.
 *
 * @throws ApiError 422 for a value that does not fit
 */
export function canonicalIntent(entityType: EntityType, current: JsonObject, patch: JsonObject): Intent {
  const fields = fieldsOf(entityType);
  const issues: FieldIssue[] = [];
  const intent = new Map<string, JsonValue>();
  for (const [name, field] of Object.entries(fields)) {
    const member = ownMember(patch, name);
    if (member === undefined) continue;
    const before = ownMember(current, name) ?? null;
    const value = isJsonObject(member) && isJsonObject(before) ? mergePatch(before, member) : member;
    if (sameJson(before, value)) continue;
    const problem = problemOf(field, value);
    if (problem === undefined) intent.set(name, value);
    else issues.push({ path: name, problem });
  }
  if (issues.length > 0) throw untranslatable(issues);
  return intent;
}

/** Why a value cannot stand in a field; undefined if it can. */
export function problemOf(field: Field<unknown>, value: JsonValue): string | undefined {
  if (value === null) return field.indispensable || field.words ? 'cannot be cleared' : undefined;
  if (field.refersTo !== undefined && typeof value === 'string' && !isCanonicalIdOf(field.refersTo, value)) {
    return `expected ${field.expects}`;
  }
  return field.accepts(value) ? undefined : `expected ${field.expects}`;
}
