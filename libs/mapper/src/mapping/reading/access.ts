import type { JsonPath } from '../../json/json-path';
import type { Access } from '../../resource/native-resource';
import type { CompiledMapping } from '../compiled-mapping';
import type { Step } from '../step';

/** Who may write a canonical field. */
export function accessOf(step: Step): Access {
  if (step.kind === 'value') return step.access;
  if (step.kind === 'lines') return 'read';
  const accesses = step.written.map((source) => source.access);
  return (['write', 'create'] as const).find((access) => accesses.includes(access)) ?? 'read';
}

/** The native paths of a canonical field, the best source of a reference first. */
export function pathsOfStep(step: Step): readonly JsonPath[] {
  switch (step.kind) {
    case 'value':
      return step.paths;
    case 'reference':
      return step.sources.map(({ path }) => path);
    case 'lines':
      return [step.path];
  }
}

interface Node {
  readonly members: Map<string, Node>;
  /** Fields whose path ends here, and those whose path ends here or further in: places in the mapping's table. */
  readonly own: Set<number>;
  readonly within: Set<number>;
  /** A path that is read-only in an existing record and that ends here, or the first one further in. */
  fixed: JsonPath | undefined;
  fixedWithin: JsonPath | undefined;
  writable: boolean;
}

/**
 * A resource's native paths, as a tree of their members. A lookup costs one step for each member of the looked-up path,
 * whatever the number of paths.
 */
export class NativePaths {
  readonly fixed: readonly JsonPath[];
  readonly writable: readonly JsonPath[];
  private readonly root = newNode();
  private readonly fields: readonly string[];
  private readonly annotations: string | undefined;

  constructor({ steps, resource }: CompiledMapping) {
    this.annotations = resource.annotations?.prefix;
    this.fields = steps.map(({ field }) => field);
    this.fixed = resource.fixedPaths;
    this.writable = steps.flatMap(writablePathsOf);
    for (const path of this.writable) this.node(path).writable = true;
    for (const path of this.fixed) {
      this.node(path, (passed) => (passed.fixedWithin ??= path)).fixed ??= path;
    }
    steps.forEach((step, index) => {
      if (step.kind === 'lines') return;
      for (const path of pathsOfStep(step)) this.node(path, ({ within }) => within.add(index)).own.add(index);
    });
  }

  /** The path that keeps a native path from being written into an existing record; undefined if nothing does. */
  fixedAt(path: JsonPath): JsonPath | undefined {
    const [first] = path;
    let node: Node | undefined = this.root;
    let fixed: JsonPath | undefined;
    for (const member of path) {
      node = node.members.get(member);
      if (node === undefined) break;
      fixed ??= node.fixed;
    }
    if (node?.writable) return undefined;
    if (this.annotations !== undefined && first?.startsWith(this.annotations)) return [first];
    return fixed ?? node?.fixedWithin;
  }

  /** Canonical fields at one of the paths, within it or around it, in the order of the mapping's table. */
  fieldsAt(paths: readonly JsonPath[]): readonly string[] {
    const found = new Set<number>();
    for (const path of paths) {
      let node: Node | undefined = this.root;
      for (const member of path) {
        node = node.members.get(member);
        if (node === undefined) break;
        for (const index of node.own) found.add(index);
      }
      if (node !== undefined) for (const index of node.within) found.add(index);
    }
    return this.fields.filter((_, index) => found.has(index));
  }

  private node(path: JsonPath, pass: (node: Node) => void = () => undefined): Node {
    let node = this.root;
    pass(node);
    for (const member of path) {
      let inner = node.members.get(member);
      if (inner === undefined) {
        inner = newNode();
        node.members.set(member, inner);
      }
      node = inner;
      pass(node);
    }
    return node;
  }
}

function newNode(): Node {
  return {
    members: new Map(),
    own: new Set(),
    within: new Set(),
    fixed: undefined,
    fixedWithin: undefined,
    writable: false,
  };
}

function writablePathsOf(step: Step): readonly JsonPath[] {
  switch (step.kind) {
    case 'value':
      return step.access === 'write' || step.access === 'lines' ? step.paths : [];
    case 'reference':
      return step.sources.filter(({ access }) => access === 'write').map(({ path }) => path);
    case 'lines':
      return [];
  }
}
