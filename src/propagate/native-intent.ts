import {
  fieldsOf,
  isJsonArray,
  isJsonObject,
  mergePatch,
  normaliseKey,
  overlap,
  ownMember,
  sameJson,
  valueAt,
  withValueAt,
  type EntityType,
  type FieldIssue,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  type Mapping,
  type NativeChange,
  type NativeReference,
} from '@app/mapper';
import type { CopyState } from './copy-state';
import { problemOf, type FieldValues } from './intent';
import { asWritten, patchedPaths, withShownNames } from './native-patch';
import { untranslatable } from './refusals';

/** What a patch in a platform's own form sets, and what is wrong with its values. */
export interface NativeIntent {
  /** Native fields to set, for the platform itself. */
  readonly changes: readonly NativeChange[];
  /** Canonical fields that change with them, references left out. A value that does not fit stands as null. */
  readonly fields: FieldValues;
  /** Canonical reference fields whose native fields change, and what those name now; undefined for nothing. */
  readonly references: ReadonlyMap<string, NativeReference | undefined>;
  readonly problems: readonly FieldIssue[];
  /** Native field, as the caller wrote it, that each of these canonical fields changes by. */
  readonly paths: ReadonlyMap<string, string>;
}

/**
 * What a patch in native form sets, natively and in canonical form. A native field nobody maps is set on its platform
 * alone.
 */
export function nativeIntent(entityType: EntityType, state: CopyState, rawPatch: JsonObject): NativeIntent {
  const { mapping, copy, decoded } = state;
  const { writeNames } = mapping.options;
  const asked = askedChanges(copy.payload, withShownNames(rawPatch, writeNames));
  const touched = asked.map(({ path }) => path);
  const after = asked.reduce((payload, { path, value }) => withValueAt(payload, path, value), copy.payload);
  const read = mapping.decode(after, copy);

  const written = (path: JsonPath): string => asWritten(path, rawPatch, writeNames);
  const problems = read.issues
    .map(({ path, problem }): { path: JsonPath; problem: string } => ({ path: path.split('.'), problem }))
    .filter(({ path }) => touched.some((other) => overlap(path, other)));
  const fields = new Map<string, JsonValue>();
  const references = new Map<string, NativeReference | undefined>();
  const paths = new Map<string, string>();
  const folded: JsonPath[] = [];
  const known = fieldsOf(entityType);
  const { localCurrency, inheritedCurrency } = copy;
  for (const name of mapping.fieldsAt(touched)) {
    const field = known[name];
    if (field === undefined) continue;
    const path = pathsOf(mapping, name).find((own) => touched.some((other) => overlap(own, other))) ?? [name];
    if (field.refersTo !== undefined) {
      if (sameJson(named(decoded, name), named(read, name))) continue;
      references.set(name, read.references[name]?.[0]);
      paths.set(name, written(path));
      continue;
    }
    const before = ownMember(decoded.data, name) ?? null;
    const value = ownMember(read.data, name) ?? null;
    const unreadable = problems.some((issue) => overlap(issue.path, path));
    if (sameJson(before, value) && !unreadable) continue;
    // The platform itself would keep what stands there: a code that differs in case alone.
    const context = { localCurrency, inheritedCurrency };
    if (!unreadable && mapping.cannotTell(name, before, value, { ...context, currency: decoded.currency })) {
      folded.push(...pathsOf(mapping, name));
      continue;
    }
    fields.set(name, value);
    paths.set(name, written(path));
    // A literal that is not listed has no canonical word, but it is the platform's to take or to refuse.
    const problem = unreadable || value === 'unknown' ? undefined : problemOf(field, value);
    if (problem !== undefined) problems.push({ path, problem });
    // What can be read need not fit: the platform takes texts of a certain length only.
    const { issues } = mapping.changesOf([name], read.data, { ...context, currency: read.currency });
    problems.push(...issues.map((issue) => ({ path, problem: issue.problem })));
  }
  return {
    changes: asked.filter(({ path }) => !folded.some((other) => sameJson(other, path))),
    fields,
    references,
    problems: problems.map(({ path, problem }) => ({ path: written(path), problem })),
    paths,
  };
}

// Of what a patch names, the values that differ from those that stand there.
function askedChanges(payload: JsonObject, patch: JsonObject): readonly NativeChange[] {
  const merged = mergePatch(payload, patch);
  return patchedPaths(patch).flatMap((path): NativeChange[] => {
    const value = valueAt(merged, path);
    const before = valueAt(payload, path);
    const clearsNothing = value === null && before === undefined;
    return value === undefined || clearsNothing || sameJson(value, before) ? [] : [{ path, value }];
  });
}

function pathsOf(mapping: Mapping, field: string): readonly JsonPath[] {
  const entry = mapping.describe().find((described) => described.field === field);
  return entry?.paths.map((path) => path.split('.')) ?? [];
}

function named({ references }: CopyState['decoded'], field: string): JsonValue {
  const [first] = references[field] ?? [];
  if (first === undefined) return null;
  return `${first.by} ${first.by === 'key' ? (normaliseKey(first.value) ?? first.value) : first.value}`;
}

/**
 * Refuses to change an amount that is the sum of several lines: which of them changes is for a person to say.
 *
 * @throws ApiError 422 naming the lines
 */
export function refuseSeveralLines({ mapping, copy, platform }: CopyState, path: string): void {
  const list = mapping.options.amountLines;
  const lines = list === undefined ? undefined : valueAt(copy.payload, list.split('.'));
  if (!isJsonArray(lines) || lines.length < 2) return;
  throw untranslatable([
    {
      path,
      problem: `is the sum of ${lines.length} lines on ${platform} (${list} ${lines.map(lineName).join(', ')}); change those there`,
    },
  ]);
}

function lineName(line: JsonValue, index: number): string {
  const id = isJsonObject(line) ? ownMember(line, 'id') : undefined;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : `#${index + 1}`;
}
