import { isJsonObject, type JsonObject } from '@app/mapper';

/** The object that a member of a description is; an empty one where there is none. */
export function objectAt(object: JsonObject, name: string): JsonObject {
  const member = object[name];
  return isJsonObject(member) ? member : {};
}
