import { ExactNumber } from './exact-number';

/** A JSON value; numbers beyond a double's precision are {@link ExactNumber}s. */
export type JsonValue = string | number | boolean | null | ExactNumber | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [member: string]: JsonValue;
}

/** True for a JSON object: neither an array, nor null, nor an exact number. */
export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/** True for a JSON array. Array.isArray alone would widen the elements to any. */
export function isJsonArray(value: JsonValue | undefined): value is JsonArray {
  return Array.isArray(value);
}

/** Whether two JSON values are the same value: members in any order, -0 equal to 0, absent equal to absent only. */
export function sameJson(left: JsonValue | undefined, right: JsonValue | undefined): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (left instanceof ExactNumber || right instanceof ExactNumber) {
    return left instanceof ExactNumber && right instanceof ExactNumber && left.token === right.token;
  }
  if (isJsonArray(left) || isJsonArray(right)) {
    return isJsonArray(left) && isJsonArray(right) && sameItems(left, right);
  }
  return sameMembers(left, right);
}

function sameItems(left: JsonArray, right: JsonArray): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) {
    if (!sameJson(left[index], right[index])) return false;
  }
  return true;
}

// Objects of JSON inherit nothing that `for … in` would show, and it is several times faster than a list of the keys.
function sameMembers(left: JsonObject, right: JsonObject): boolean {
  let members = 0;
  for (const member in left) {
    if (!Object.hasOwn(right, member) || !sameJson(left[member], right[member])) return false;
    members += 1;
  }
  return Object.keys(right).length === members;
}

/** A member of an object, own members only: a payload may have no member, or one, named like an inherited one. */
export function ownMember(object: JsonObject, member: string): JsonValue | undefined {
  return Object.hasOwn(object, member) ? object[member] : undefined;
}

/** A member of an object if it is text. */
export function ownText(object: JsonObject, member: string): string | undefined {
  const value = ownMember(object, member);
  return typeof value === 'string' ? value : undefined;
}

/** A member of an object if it is an object, otherwise an empty one. */
export function ownObject(object: JsonObject, member: string): JsonObject {
  const value = ownMember(object, member);
  return isJsonObject(value) ? value : {};
}

/**
 * Sets a member on an object under construction. Plain assignment would call the setter of `__proto__`
 * instead of adding a member of that name.
 */
export function setMember(object: Record<string, JsonValue>, member: string, value: JsonValue): void {
  if (member === '__proto__') {
    Object.defineProperty(object, member, { value, enumerable: true, configurable: true, writable: true });
  } else {
    object[member] = value;
  }
}
