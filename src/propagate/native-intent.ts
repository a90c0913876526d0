import {
  fieldsOf,
  isJsonArray,
  isJsonObject,
  mergePatch,
  overlap,
  ownMember,
  sameJson,
  valueAt,
  type EntityType,
  type JsonObject,
  type JsonValue,
  type NativeChange,
  type NativeReference,
} from '@app/mapper';
import type { CopyState } from './copy-state';
import { problemOf, type Intent } from './intent';
import { patchedPaths, withShownNames } from './native-patch';
import { untranslatable } from './refusals';

/** What a patch in a platform's own form sets. */
export interface NativeIntent {
  /** Native fields to set, for the platform itself. */
  readonly changes: readonly NativeChange[];
  /** Canonical fields that change with them, references left out. */
  readonly fields: Intent;
  /** Canonical reference fields whose native fields change, and what those name now; undefined for nothing. */
  readonly references: ReadonlyMap<string, NativeReference | undefined>;
}

/**
 * What a patch in native form sets, natively and in canonical form. A native field nobody maps is set on its platform
 * alone.
 *
 * @throws ApiError 422 for a value that does not fit
 */
export function nativeIntent(entityType: EntityType, state: CopyState, rawPatch: JsonObject): NativeIntent {
  const { mapping, copy, decoded } = state;
  const patch = withShownNames(rawPatch, mapping.options.writeNames);
  const paths = patchedPaths(patch);

  const after = mergePatch(copy.payload, patch);
  const changes = paths.flatMap((path): NativeChange[] => {
    const value = valueAt(after, path);
    return value === undefined || sameJson(value, valueAt(copy.payload, path)) ? [] : [{ path, value }];
  });
  const touched = changes.map(({ path }) => path);
  const read = mapping.decode(after, copy);
  const issues = read.issues.filter(({ path }) => touched.some((other) => overlap(path.split('.'), other)));
  if (issues.length > 0) throw untranslatable(issues);

  const fields = new Map<string, JsonValue>();
  const references = new Map<string, NativeReference | undefined>();
  const known = fieldsOf(entityType);
  for (const name of mapping.fieldsAt(touched)) {
    const field = known[name];
    if (field === undefined) continue;
    if (field.refersTo !== undefined) {
      if (!sameJson(named(decoded, name), named(read, name))) references.set(name, read.references[name]?.[0]);
      continue;
    }
    const value = ownMember(read.data, name) ?? null;
    if (sameJson(ownMember(decoded.data, name) ?? null, value)) continue;
    const problem = problemOf(field, value === 'unknown' ? null : value);
    // A literal that is not listed has no canonical word, but it is the platform's to take or to refuse.
    if (problem !== undefined && value !== 'unknown') {
      throw untranslatable([{ path: mapping.pathOf(name) ?? name, problem }]);
    }
    fields.set(name, value);
  }
  return { changes, fields, references };
}

function named({ references }: CopyState['decoded'], field: string): JsonValue {
  const [first] = references[field] ?? [];
  return first === undefined ? null : `${first.by} ${first.value}`;
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
