import { isJsonObject, ownMember, sameJson, shownField, type JsonObject } from '@app/mapper';
import { objectIn } from './stored-object';

/** The fields that a change touched, with their earlier values; undefined if there are none. */
export function beforeIn(intent: string): JsonObject | undefined {
  const before = ownMember(objectIn(intent), 'before');
  return isJsonObject(before) ? before : undefined;
}

/** The fields whose values differ from the earlier ones. */
export function changedFields(object: JsonObject, before: JsonObject): readonly string[] {
  return Object.keys(before).filter(
    (field) => !sameJson(shownField(object, field) ?? null, ownMember(before, field) ?? null),
  );
}
