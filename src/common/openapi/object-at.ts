import { isJsonObject, ownMember, type JsonObject } from '@app/mapper';

/** The object that a member of a description is; an empty one where there is none. */
export function objectAt(object: JsonObject, name: string): JsonObject {
  const member = ownMember(object, name);
  return member !== undefined && isJsonObject(member) ? member : {};
}
