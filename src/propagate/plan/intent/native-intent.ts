import {
  fieldsOf,
  groupBy,
  isJsonArray,
  isJsonObject,
  mergePatch,
  normaliseKey,
  overlap,
  ownMember,
  sameJson,
  valueAt,
  withValuesAt,
  type EntityType,
  type Field,
  type FieldIssue,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  type Mapping,
  type NativeChange,
  type NativeReference,
} from '@app/mapper';
import type { CopyState } from '../state/copy-state';
import { problemOf, type FieldValues } from './canonical-intent';
import { asWritten, patchedPaths, withShownNames } from './native-patch';
import { untranslatable } from '../refusal';

/** The fields that a patch in a platform's own form sets, and the problems of its values. */
export interface NativeIntent {
  /** Native fields to set, for the platform itself. */
  readonly changes: readonly NativeChange[];
  /** Canonical fields that change too, without references. An invalid value is null. */
  readonly fields: FieldValues;
  /** Canonical fields that the patch names with the record's present value; references as canonical IDs. */
  readonly restated: FieldValues;
  /** Canonical reference fields whose native fields change, with their new references; undefined for no reference. */
  readonly references: ReadonlyMap<string, NativeReference | undefined>;
  readonly problems: readonly FieldIssue[];
  /** The native field, as in the patch, that changes each of these canonical fields. */
  readonly paths: ReadonlyMap<string, string>;
}

/**
 * The fields that a patch in native form sets, natively and in canonical form. A native field without a mapping is set
 * on its platform only.
 */
export function nativeIntent(entityType: EntityType, state: CopyState, rawPatch: JsonObject): NativeIntent {
  const { mapping, copy, decoded } = state;
  const { writeNames } = mapping.resource;
  const patch = withShownNames(rawPatch, writeNames);
  const named = patchedPaths(patch);
  const requested = changedValues(copy.payload, patch, named);
  const touched = requested.map(({ path }) => path);
  const touches = overlapping(touched);
  const read = mapping.read(withValuesAt(copy.payload, requested), copy);

  const written = (path: JsonPath): string => asWritten(path, rawPatch, writeNames);
  const problems = read.issues
    .map(({ path, problem }): { path: JsonPath; problem: string } => ({ path: path.split('.'), problem }))
    .filter(({ path }) => touches(path));
  const patched = { read, touches, unreadable: overlapping(problems.map(({ path }) => path)) };
  const fields = new Map<string, JsonValue>();
  const restated = new Map<string, JsonValue>();
  const references = new Map<string, NativeReference | undefined>();
  const paths = new Map<string, string>();
  const indistinguishable: JsonPath[] = [];
  const known = fieldsOf(entityType, mapping.own);
  const changed = new Set(mapping.fieldsAt(touched));
  for (const name of mapping.fieldsAt(named)) {
    const field = known[name];
    if (field === undefined) continue;
    const effect: FieldEffect = changed.has(name)
      ? effectOn(name, field, state, patched)
      : { kind: 'restated' };
    if (effect.kind === 'restated' || effect.kind === 'indistinguishable') {
      const standing = field.refersTo === undefined ? ownMember(decoded.data, name) : copy.references[name];
      if (standing !== undefined && standing !== null) restated.set(name, standing);
      if (effect.kind === 'indistinguishable') indistinguishable.push(...pathsOf(mapping, name));
      continue;
    }
    paths.set(name, written(effect.path));
    if (effect.kind === 'reference') {
      references.set(name, effect.reference);
    } else {
      fields.set(name, effect.value);
      problems.push(...effect.problems.map((problem) => ({ path: effect.path, problem })));
    }
  }
  const kept = new Set(indistinguishable.map((path) => JSON.stringify(path)));
  return {
    changes: requested.filter(({ path }) => !kept.has(JSON.stringify(path))),
    fields,
    restated,
    references,
    problems: problems.map(({ path, problem }) => ({ path: written(path), problem })),
    paths,
  };
}

/** What a patch in native form does to a canonical field. A `path` is the native field by which it does so. */
type FieldEffect =
  /** The field keeps its value. */
  | { readonly kind: 'restated' }
  /** The platform would keep its value, such as a code that differs only in case. */
  | { readonly kind: 'indistinguishable' }
  | { readonly kind: 'reference'; readonly path: JsonPath; readonly reference: NativeReference | undefined }
  | {
      readonly kind: 'value';
      readonly path: JsonPath;
      readonly value: JsonValue;
      readonly problems: readonly string[];
    };

/** A record with a patch applied to it. */
interface PatchedRecord {
  readonly read: CopyState['decoded'];
  /** Whether the patch changes a native field at the path. */
  readonly touches: (path: JsonPath) => boolean;
  /** Whether the patch sets a value at the path that the mapping cannot read. */
  readonly unreadable: (path: JsonPath) => boolean;
}

/** The effect on a canonical field whose native fields the patch changes. */
function effectOn(
  name: string,
  field: Field<unknown>,
  { mapping, copy, decoded }: CopyState,
  { read, touches, unreadable }: PatchedRecord,
): FieldEffect {
  const path = pathsOf(mapping, name).find(touches) ?? [name];
  if (field.refersTo !== undefined) {
    return sameJson(nameIn(decoded, name), nameIn(read, name))
      ? { kind: 'restated' }
      : { kind: 'reference', path, reference: read.references[name]?.[0] };
  }
  const before = ownMember(decoded.data, name) ?? null;
  const value = ownMember(read.data, name) ?? null;
  const unread =
    value === null && before !== null && !unreadable(path) ? issueOf(mapping, name, read) : undefined;
  const cannotRead = unread !== undefined || unreadable(path);
  if (sameJson(before, value) && !cannotRead) return { kind: 'restated' };
  const { localCurrency, inheritedCurrency } = copy;
  const context = { localCurrency, inheritedCurrency };
  if (!cannotRead && mapping.cannotTell(name, before, value, { ...context, currency: decoded.currency })) {
    return { kind: 'indistinguishable' };
  }
  // An unlisted literal has no canonical value, but the platform may accept it.
  const invalid = cannotRead || value === 'unknown' ? undefined : problemOf(field, value);
  // A readable value can still be invalid: the platform limits the length of texts.
  const { issues } = mapping.changesOf([name], read.data, { ...context, currency: read.currency });
  const problems = [unread?.problem, invalid, ...issues.map(({ problem }) => problem)];
  return { kind: 'value', path, value, problems: problems.filter((problem) => problem !== undefined) };
}

// The values of a patch that differ from the record's.
function changedValues(
  payload: JsonObject,
  patch: JsonObject,
  named: readonly JsonPath[],
): readonly NativeChange[] {
  const merged = mergePatch(payload, patch);
  return named.flatMap((path): NativeChange[] => {
    const value = valueAt(merged, path);
    const before = valueAt(payload, path);
    const clearsNothing = value === null && before === undefined;
    return value === undefined || clearsNothing || sameJson(value, before) ? [] : [{ path, value }];
  });
}

/** Whether a path overlaps one of these. Only paths with the same first member can, so only those are compared. */
function overlapping(paths: readonly JsonPath[]): (path: JsonPath) => boolean {
  const groups = groupBy(paths, ([first = '']) => first);
  return (path) => groups.get(path[0] ?? '')?.some((other) => overlap(other, path)) ?? false;
}

function pathsOf(mapping: Mapping, field: string): readonly JsonPath[] {
  const entry = mapping.describe().find((described) => described.field === field);
  return entry?.paths.map((path) => path.split('.')) ?? [];
}

/**
 * The problem that makes a field unreadable although the change does not name its native value. For example, an amount
 * may have too many decimals for the currency that the change sets.
 */
function issueOf(
  mapping: Mapping,
  field: string,
  { issues }: Pick<CopyState['decoded'], 'issues'>,
): FieldIssue | undefined {
  const paths = pathsOf(mapping, field).map((path) => path.join('.'));
  return issues.find(({ path }) => paths.includes(path));
}

function nameIn({ references }: CopyState['decoded'], field: string): JsonValue {
  const [first] = references[field] ?? [];
  if (first === undefined) return null;
  return `${first.by} ${first.by === 'key' ? (normaliseKey(first.value) ?? first.value) : first.value}`;
}

/** Maximum number of lines that a message names individually. */
const MOST_LINES_NAMED = 20;

/**
 * Refuses to change an amount that is the sum of several lines: a person must decide which line changes.
 *
 * @throws ChangeRefused `untranslatable`, naming the lines
 */
export function refuseSeveralLines({ mapping, copy, platform }: CopyState, path: string): void {
  const list = mapping.resource.lines;
  const lines = list === undefined ? undefined : valueAt(copy.payload, list.split('.'));
  if (!isJsonArray(lines) || lines.length < 2) return;
  const names = lines.slice(0, MOST_LINES_NAMED).map(lineName);
  const more = lines.length > names.length ? ` and ${lines.length - names.length} more` : '';
  throw untranslatable([
    {
      path,
      problem: `is the sum of ${lines.length} lines on ${platform} (${list} ${names.join(', ')}${more}); change those there`,
    },
  ]);
}

function lineName(line: JsonValue, index: number): string {
  const id = isJsonObject(line) ? ownMember(line, 'id') : undefined;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : `#${index + 1}`;
}
