import {
  isJsonArray,
  isJsonObject,
  ownMember,
  setMember,
  type JsonObject,
  type JsonValue,
} from './json-value';
import { roomyObject, type Members } from './roomy-object';

/** Member names from the outermost object inwards: `summary.current_payment_due` as a list. */
export type JsonPath = readonly string[];

/** A path from its text: `vendor.id` is split at its points. */
export function pathFrom(text: string): JsonPath {
  return text.split('.');
}

/** Whether two paths are one. */
export function samePath(one: JsonPath, other: JsonPath): boolean {
  return one.length === other.length && one.every((member, index) => member === other[index]);
}

/** The value at a path, or undefined when a member on the way is absent or no object. */
export function valueAt(object: JsonObject, path: JsonPath): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const member of path) {
    if (!isJsonObject(value)) return undefined;
    value = ownMember(value, member);
  }
  return value;
}

const lineName = /^(.+?)\[(\d+)\](?:\.(.+))?$/;

/** The value to which a name in a message leads, as `lines[2].quantity` does; undefined where there is none. */
export function valueNamed(object: JsonObject, name: string): JsonValue | undefined {
  const value = valueAt(object, pathFrom(name));
  if (value !== undefined) return value;
  const [, list, index, member] = lineName.exec(name) ?? [];
  const lines = list === undefined ? undefined : valueAt(object, pathFrom(list));
  const line = isJsonArray(lines) ? lines[Number(index)] : undefined;
  if (member === undefined) return line;
  return isJsonObject(line) ? valueAt(line, pathFrom(member)) : undefined;
}

/** The object with one value replaced; what is not on the path is shared with the original. */
export function withValueAt(object: JsonObject, path: JsonPath, value: JsonValue): JsonObject {
  const [member, ...rest] = path;
  if (member === undefined) return object;
  const copy = copyOf(object);
  const inner = ownMember(object, member);
  setMember(
    copy,
    member,
    rest.length === 0 ? value : withValueAt(isJsonObject(inner) ? inner : {}, rest, value),
  );
  return copy;
}

/** The object without the value at a path; what is not on the path is shared with the original. */
export function withoutValueAt(object: JsonObject, path: JsonPath): JsonObject {
  const [member, ...rest] = path;
  if (member === undefined || valueAt(object, path) === undefined) return object;
  const inner = ownMember(object, member);
  if (rest.length > 0 && isJsonObject(inner))
    return withValueAt(object, [member], withoutValueAt(inner, rest));
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== member));
}

/**
 * The object with several values set, in order. Every object on the way is copied once, however many values go into
 * it; what no path leads to is shared with the original.
 */
export function withValuesAt(
  object: JsonObject,
  changes: readonly { readonly path: JsonPath; readonly value: JsonValue }[],
): JsonObject {
  return setValuesAt(copyOf(object), changes);
}

/** Sets several values in an object of the caller's own, in order; objects further in are copied, each of them once. */
export function setValuesAt(
  object: Members,
  changes: readonly { readonly path: JsonPath; readonly value: JsonValue }[],
): Members {
  let own: Set<JsonValue> | undefined;
  for (const { path, value } of changes) {
    const last = path.length - 1;
    let inner = object;
    for (let index = 0; index < last; index += 1) {
      inner = ownObjectAt(inner, path[index] ?? '', (own ??= new Set()));
    }
    const member = path[last];
    if (member !== undefined) setMember(inner, member, value);
  }
  return object;
}

function copyOf(object: JsonObject): Members {
  const copy = roomyObject();
  for (const member in object) {
    const value = object[member];
    if (value !== undefined) setMember(copy, member, value);
  }
  return copy;
}

// The object of a member, created or copied when the first value is set in it: the original stays as it is.
function ownObjectAt(object: Members, member: string, own: Set<JsonValue>): Members {
  const present = ownMember(object, member);
  // The set has only objects that this function created.
  if (present !== undefined && own.has(present)) return present as Members;
  const made: Members = isJsonObject(present) ? { ...present } : {};
  own.add(made);
  setMember(object, member, made);
  return made;
}
