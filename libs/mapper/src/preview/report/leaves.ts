import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value';
import type { NativeNode } from './native-fields';

/** Where in a record a leaf is, as far as a mapping knows the place. */
export interface LeafPlace {
  /** The native path: `line_items[].amount`. A name that is no plain word is quoted: `["@odata.etag"]`. */
  readonly path: string;
  /** What the mapping has there, or around it. */
  readonly node: NativeNode | undefined;
  /** In a list of lines: what the mapping has for the list, and which line it is. */
  readonly line: { readonly list: NativeNode; readonly index: number } | undefined;
}

/** The longest path whose members are named one by one. Leaves below it are only counted. */
const LONGEST_PATH = 200;

const plain = /^[A-Za-z0-9_$-]+$/;

/**
 * Visits every leaf of a record once: every value that is no object or list, and every empty object or list. Leaves
 * deeper than the longest path are visited together at the end of that path, so that the total length of the paths
 * grows no faster than the record.
 *
 * @param visit receives the path, and the number of leaves there
 */
export function visitLeaves(
  record: JsonObject,
  root: NativeNode,
  visit: (place: LeafPlace, leaves: number) => void,
): void {
  const walk = (
    value: JsonValue,
    path: string,
    position: NativeNode | undefined,
    owner: NativeNode | undefined,
    line: LeafPlace['line'],
  ): void => {
    const own = position !== undefined && (position.fields.length > 0 || position.isId) ? position : owner;
    const isTooDeep = path.length > LONGEST_PATH;
    if (isTooDeep || !isContainer(value) || isEmpty(value)) {
      visit({ path, node: own, line }, isTooDeep ? leavesOf(value) : 1);
    } else if (isJsonArray(value)) {
      const members = position?.members;
      for (const [index, item] of value.entries()) {
        if (members !== undefined && position !== undefined && isJsonObject(item)) {
          walk(item, `${path}[]`, members, undefined, { list: position, index });
        } else walk(item, `${path}[]`, undefined, own, line);
      }
    } else {
      for (const [name, member] of Object.entries(value)) {
        if (member !== undefined) walk(member, joined(path, name), position?.inner.get(name), own, line);
      }
    }
  };
  for (const [name, member] of Object.entries(record)) {
    if (member !== undefined) walk(member, joined('', name), root.inner.get(name), undefined, undefined);
  }
}

function joined(path: string, name: string): string {
  if (!plain.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

function isContainer(value: JsonValue): value is JsonObject | readonly JsonValue[] {
  return isJsonObject(value) || isJsonArray(value);
}

function isEmpty(value: JsonObject | readonly JsonValue[]): boolean {
  if (isJsonArray(value)) return value.length === 0;
  return Object.values(value).every((member) => member === undefined);
}

/** How many leaves a value has; one for what is no object or list, or an empty one. */
export function leavesOf(value: JsonValue): number {
  if (!isContainer(value) || isEmpty(value)) return 1;
  let leaves = 0;
  for (const member of isJsonArray(value) ? value : Object.values(value)) {
    if (member !== undefined) leaves += leavesOf(member);
  }
  return leaves;
}
