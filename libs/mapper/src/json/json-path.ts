import { isJsonObject, ownMember, setMember, type JsonObject, type JsonValue } from './json-value';

/** Member names from the outermost object inwards: `summary.current_payment_due` as a list. */
export type JsonPath = readonly string[];

/** The value at a path, or undefined when a member on the way is absent or no object. */
export function valueAt(object: JsonObject, path: JsonPath): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const member of path) {
    if (!isJsonObject(value)) return undefined;
    value = ownMember(value, member);
  }
  return value;
}

/** The object with one value replaced; what is not on the path is shared with the original. */
export function withValueAt(object: JsonObject, path: JsonPath, value: JsonValue): JsonObject {
  const [member, ...rest] = path;
  if (member === undefined) return object;
  const copy: Record<string, JsonValue> = { ...object };
  const inner = ownMember(object, member);
  setMember(
    copy,
    member,
    rest.length === 0 ? value : withValueAt(isJsonObject(inner) ? inner : {}, rest, value),
  );
  return copy;
}

/**
 * The object with several values set, in order. Every object on the way is copied once, however many values go into
 * it; what no path leads to is shared with the original.
 */
export function withValuesAt(
  object: JsonObject,
  changes: readonly { readonly path: JsonPath; readonly value: JsonValue }[],
): JsonObject {
  const copy: Record<string, JsonValue> = { ...object };
  const own = new Set<JsonValue>([copy]);
  for (const { path, value } of changes) {
    const member = path.at(-1);
    if (member === undefined) continue;
    let inner: Record<string, JsonValue> = copy;
    for (const step of path.slice(0, -1)) inner = ownObjectAt(inner, step, own);
    setMember(inner, member, value);
  }
  return copy;
}

// A member that is an object of the copy's own: made, or copied, when a value first goes into it.
function ownObjectAt(
  object: Record<string, JsonValue>,
  member: string,
  own: Set<JsonValue>,
): Record<string, JsonValue> {
  const present = ownMember(object, member);
  // What is in the set was made here, as a record that may be written into.
  if (present !== undefined && own.has(present)) return present as Record<string, JsonValue>;
  const made: Record<string, JsonValue> = isJsonObject(present) ? { ...present } : {};
  own.add(made);
  setMember(object, member, made);
  return made;
}

/** The object without the value at a path; objects that become empty by it are left out as well. */
export function withoutValueAt(object: JsonObject, path: JsonPath): JsonObject {
  const [member, ...rest] = path;
  if (member === undefined || !Object.hasOwn(object, member)) return object;
  const copy: Record<string, JsonValue> = { ...object };
  const inner = ownMember(object, member);
  if (rest.length > 0) {
    if (!isJsonObject(inner)) return object;
    const remaining = withoutValueAt(inner, rest);
    if (remaining === inner) return object;
    if (Object.keys(remaining).length > 0) {
      setMember(copy, member, remaining);
      return copy;
    }
  }
  delete copy[member];
  return copy;
}

/** Sets a value at a path of an object under construction; objects further in are replaced, never changed. */
export function assignAt(draft: Record<string, JsonValue>, path: JsonPath, value: JsonValue): void {
  const [member, ...rest] = path;
  if (member === undefined) return;
  const inner = ownMember(draft, member);
  setMember(
    draft,
    member,
    rest.length === 0 ? value : withValueAt(isJsonObject(inner) ? inner : {}, rest, value),
  );
}

/** The object without the values at some paths (see {@link withoutValueAt}), copied once. */
export function withoutValuesAt(object: JsonObject, paths: readonly JsonPath[]): JsonObject {
  if (paths.length === 0) return object;
  const members = new Set(paths.filter((path) => path.length === 1).map(([member]) => member));
  const copy: Record<string, JsonValue> = {};
  for (const member of Object.keys(object)) {
    const value = object[member];
    if (value !== undefined && !members.has(member)) setMember(copy, member, value);
  }
  return paths
    .filter((path) => path.length > 1)
    .reduce<JsonObject>((remaining, path) => withoutValueAt(remaining, path), copy);
}
