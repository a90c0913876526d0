import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '../../json/json-value';
import type { FieldDescription } from '../../mapping/describing/description';
import type { Mapping } from '../../mapping/mapping';

/** What a mapping has at one native path. */
export interface NativeNode {
  /** Canonical fields that have their value here, in the order of the mapping's table. */
  readonly fields: string[];
  /** It is the native ID of the record. */
  isId: boolean;
  /** The members of each line, where a list of lines is here. */
  members: NativeNode | undefined;
  readonly inner: Map<string, NativeNode>;
}

const known = new WeakMap<Mapping, NativeNode>();

/** The native paths of a mapping, with the canonical fields behind them. Made once. */
export function nativeFieldsOf(mapping: Mapping): NativeNode {
  let root = known.get(mapping);
  if (root === undefined) {
    root = treeOf(mapping.describe());
    nodeAt(root, mapping.options.id.path).isId = true;
    known.set(mapping, root);
  }
  return root;
}

function treeOf(descriptions: readonly FieldDescription[]): NativeNode {
  const root = newNode();
  for (const { field, paths, members } of descriptions) {
    for (const path of paths) {
      const node = nodeAt(root, path);
      node.fields.push(field);
      if (members !== undefined) node.members = treeOf(members);
    }
  }
  return root;
}

function nodeAt(root: NativeNode, path: string): NativeNode {
  let node = root;
  for (const member of path.split('.')) {
    let inner = node.inner.get(member);
    if (inner === undefined) {
      inner = newNode();
      node.inner.set(member, inner);
    }
    node = inner;
  }
  return node;
}

function newNode(): NativeNode {
  return { fields: [], isId: false, members: undefined, inner: new Map() };
}

/** The native paths of a field at which a record has a value. */
export function presentPaths(mapping: Mapping, field: string, record: JsonObject): readonly string[] {
  const paths = mapping.descriptionOf(field)?.paths ?? [];
  return [...new Set(paths)].filter((path) => {
    let value: JsonValue | undefined = record;
    for (const member of path.split('.')) value = isJsonObject(value) ? ownMember(value, member) : undefined;
    return value !== undefined;
  });
}
