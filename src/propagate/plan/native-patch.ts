import {
  isJsonObject,
  mergePatch,
  overlap,
  withValuesAt,
  type JsonObject,
  type JsonPath,
  type Mapping,
  type PlatformName,
} from '@app/mapper';
import { ChangeRefused, notWritable } from './refusal';

/** Values that one change may set: far more than a record has fields, few enough to look at each one quickly. */
export const MOST_CHANGES = 10_000;

/**
 * Paths of the values a merge patch sets: members of nested objects one by one, everything else whole.
 *
 * @throws ChangeRefused `not_writable` when there are more than {@link MOST_CHANGES}
 */
export function patchedPaths(patch: JsonObject): readonly JsonPath[] {
  const paths: JsonPath[] = [];
  collect(patch, [], paths);
  return paths;
}

function collect(patch: JsonObject, prefix: JsonPath, paths: JsonPath[]): void {
  for (const member of Object.keys(patch)) {
    const value = patch[member];
    const path = [...prefix, member];
    if (isJsonObject(value) && Object.keys(value).length > 0) collect(value, path, paths);
    else paths.push(path);
    if (paths.length > MOST_CHANGES) {
      throw new ChangeRefused(
        'not_writable',
        `Invalid input: data: one change can set ${MOST_CHANGES} values, and this one sets more`,
      );
    }
  }
}

/** The patch with the platform's names for writing (`vendor_id`) put where the record shows them (`vendor.id`). */
export function withShownNames(
  patch: JsonObject,
  writeNames: Readonly<Record<string, string>> = {},
): JsonObject {
  const used = Object.keys(writeNames).filter((name) => Object.hasOwn(patch, name));
  if (used.length === 0) return patch;
  const written = new Set(used);
  // Of two ways of saying one thing the name for writing counts.
  return Object.keys(patch).reduce<JsonObject>(
    (shown, member) => {
      if (!written.has(member)) return shown;
      const value = patch[member];
      const path = writeNames[member]?.split('.');
      return value === undefined || path === undefined
        ? shown
        : mergePatch(shown, withValuesAt({}, [{ path, value }]));
    },
    without(patch, written),
  );
}

function without(patch: JsonObject, members: ReadonlySet<string>): JsonObject {
  return withValuesAt(
    {},
    Object.entries(patch).flatMap(([member, value]) =>
      members.has(member) ? [] : [{ path: [member], value }],
    ),
  );
}

/** A path as the caller wrote it: under the platform's name for writing, where the patch uses that. */
export function asWritten(
  path: JsonPath,
  patch: JsonObject,
  writeNames: Readonly<Record<string, string>> = {},
): string {
  const shown = path.join('.');
  const written = Object.keys(writeNames).find(
    (member) => writeNames[member] === shown && Object.hasOwn(patch, member),
  );
  return written ?? shown;
}

/**
 * Refuses fields that are read-only on the record's platform.
 *
 * @throws ChangeRefused `not_writable`, naming the field, or when the patch sets too many
 */
export function refuseFixedFields(platform: PlatformName, mapping: Mapping, rawPatch: JsonObject): void {
  const { writeNames } = mapping.options;
  const fixed = byFirstMember(mapping.fixedPaths.map((path) => path.split('.')));
  const writable = new Set(mapping.writablePaths.map((path) => JSON.stringify(path)));
  for (const path of patchedPaths(withShownNames(rawPatch, writeNames))) {
    const first = path[0] ?? '';
    const known = fixed.get(first) ?? [];
    // The type of a record in the OData protocol, and whatever else is an annotation, belongs to the platform.
    if (!first.startsWith('@odata.') && !known.some((other) => overlap(other, path))) continue;
    if (writable.has(JSON.stringify(path))) continue;
    throw notWritable(asWritten(path, rawPatch, writeNames), `${platform} lets nobody write it`);
  }
}

/** Paths by the member they begin with: only those can overlap. */
export function byFirstMember(paths: readonly JsonPath[]): ReadonlyMap<string, readonly JsonPath[]> {
  const groups = new Map<string, JsonPath[]>();
  for (const path of paths) {
    const first = path[0] ?? '';
    const group = groups.get(first);
    if (group === undefined) groups.set(first, [path]);
    else group.push(path);
  }
  return groups;
}
