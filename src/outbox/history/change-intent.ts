import {
  fieldsOf,
  isJsonObject,
  ownMember,
  sameJson,
  shownField,
  type JsonObject,
  type JsonValue,
  type StoredEntityType,
} from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { objectsOfAliases } from '../../records/objects/aliases.repository';
import { objectIn } from './stored-object';

/** The fields that a change touched, with their earlier values; undefined if there are none. */
export function beforeIn(intent: string): JsonObject | undefined {
  const before = ownMember(objectIn(intent), 'before');
  return isJsonObject(before) ? before : undefined;
}

/**
 * The fields of an object whose values differ from the earlier ones. A reference to the same object does not differ if
 * that object was merged into another one since.
 */
export async function changedFields(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  object: JsonObject,
  before: JsonObject,
): Promise<readonly string[]> {
  const was = (field: string): JsonValue => ownMember(before, field) ?? null;
  const is = (field: string): JsonValue => shownField(object, field) ?? null;
  const different = Object.keys(before).filter((field) => !sameJson(is(field), was(field)));
  const named = different
    .filter((field) => fieldsOf(entityType)[field]?.refersTo !== undefined)
    .map(was)
    .filter((id) => typeof id === 'string');
  const present = await objectsOfAliases(tx, named);
  return different.filter((field) => {
    const id = was(field);
    return typeof id !== 'string' || !present.has(id) || present.get(id) !== is(field);
  });
}
