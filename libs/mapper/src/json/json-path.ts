import { isJsonObject, ownMember, setMember, type JsonObject, type JsonValue } from './json-value';

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

/** Paths to leave out, as a tree of their members; `null` where a path ends. */
type Omitted = Map<string, Omitted | null>;

/**
 * The object without the values at some paths; objects that become empty by it are left out as well. Every object on
 * the way is copied once, however many paths lead through it; what no path leads to is shared with the original.
 */
export function withoutValuesAt(object: JsonObject, paths: readonly JsonPath[]): JsonObject {
  const omitted: Omitted = new Map();
  for (const path of paths) omit(omitted, path);
  return omitted.size === 0 ? object : without(object, omitted);
}

function omit(omitted: Omitted, path: JsonPath): void {
  const last = path.length - 1;
  let level = omitted;
  for (const [index, member] of path.entries()) {
    const known = level.get(member);
    if (known === null) return;
    if (index === last) {
      level.set(member, null);
      return;
    }
    const next: Omitted = known ?? new Map<string, Omitted | null>();
    level.set(member, next);
    level = next;
  }
}

function without(object: JsonObject, omitted: Omitted): JsonObject {
  const copy: Record<string, JsonValue> = {};
  let changed = false;
  for (const member of Object.keys(object)) {
    const value = object[member];
    const inner = omitted.get(member);
    if (value === undefined || inner === null) {
      changed = true;
    } else if (inner === undefined || !isJsonObject(value)) {
      setMember(copy, member, value);
    } else {
      const left = without(value, inner);
      changed ||= left !== value;
      if (left === value || Object.keys(left).length > 0) setMember(copy, member, left);
    }
  }
  return changed ? copy : object;
}
