import type { JsonPath } from './json-path';
import { isJsonObject, setMember, type JsonObject, type JsonValue } from './json-value';
import { roomyObject, type Members } from './roomy-object';

/** The values at the paths of a tree, by the index of the path; undefined where the object has none. */
export type ValuesAtPaths = (JsonValue | undefined)[];

interface Node {
  /** Index of the path that ends here; -1 if none does. */
  index: number;
  /** The nodes of longer paths, by their next member. */
  inner: Map<string, Node> | undefined;
}

/**
 * Several paths in objects of one kind, which are looked up together. A look-up visits each member of the object once,
 * so a path that the object does not have costs nothing.
 */
export class PathTree {
  private readonly root = new Map<string, Node>();
  private count = 0;

  /**
   * Adds a path of one member or more; its index. Equal paths have one index.
   *
   * @throws RangeError for a path without a member
   */
  add(path: JsonPath): number {
    let level = this.root;
    let node: Node | undefined;
    for (const member of path) {
      if (node !== undefined) level = node.inner ??= new Map<string, Node>();
      node = level.get(member);
      if (node === undefined) {
        node = { index: -1, inner: undefined };
        level.set(member, node);
      }
    }
    if (node === undefined) throw new RangeError('a path has one member or more');
    if (node.index < 0) {
      node.index = this.count;
      this.count += 1;
    }
    return node.index;
  }

  /** How many paths there are. */
  get size(): number {
    return this.count;
  }

  /** The values at the paths, in a list of the caller's or in a new one. */
  valuesIn(
    object: JsonObject,
    values: ValuesAtPaths = new Array<JsonValue | undefined>(this.count),
  ): ValuesAtPaths {
    for (let index = 0; index < this.count; index += 1) values[index] = undefined;
    collect(this.root, object, values);
    return values;
  }

  /**
   * The object without the values at some paths; objects that become empty by it are left out as well. Every object on
   * the way is copied once; what no path leads to is shared with the original.
   */
  without(object: JsonObject, omitted: readonly boolean[]): JsonObject {
    return without(this.root, object, omitted, roomyObject());
  }
}

// Objects of JSON inherit nothing that `for … in` would show, and it is several times faster than a list of the keys.
function collect(level: Map<string, Node>, object: JsonObject, values: ValuesAtPaths): void {
  for (const member in object) {
    const node = level.get(member);
    if (node === undefined) continue;
    const value = object[member];
    if (node.index >= 0) values[node.index] = value;
    if (node.inner !== undefined && isJsonObject(value)) collect(node.inner, value, values);
  }
}

function without(
  level: Map<string, Node>,
  object: JsonObject,
  omitted: readonly boolean[],
  copy: Members,
): JsonObject {
  let changed = false;
  for (const member in object) {
    const value = object[member];
    const node = level.get(member);
    if (value === undefined || (node !== undefined && omitted[node.index] === true)) {
      changed = true;
    } else if (node?.inner === undefined || !isJsonObject(value)) {
      setMember(copy, member, value);
    } else {
      const left = without(node.inner, value, omitted, {});
      changed ||= left !== value;
      if (left === value || !isEmpty(left)) setMember(copy, member, left);
    }
  }
  return changed ? copy : object;
}

function isEmpty(object: JsonObject): boolean {
  for (const _member in object) return false;
  return true;
}
