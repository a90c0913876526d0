import {
  isJsonObject,
  mergePatch,
  withValuesAt,
  type JsonObject,
  type JsonPath,
  type Mapping,
  type PlatformName,
} from '@app/mapper';
import { ChangeRefused, notWritable } from '../refusal';

/** Maximum number of values in one change: far more than a record has fields, and few enough to check each quickly. */
export const MOST_CHANGES = 10_000;

/**
 * Paths of the values in a merge patch: the members of nested objects individually, everything else as a whole.
 *
 * @throws ChangeRefused `not_writable` if there are more than {@link MOST_CHANGES}
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

/** The patch with the platform's names for writing (`vendor_id`) replaced by the record's (`vendor.id`). */
export function withShownNames(
  patch: JsonObject,
  writeNames: Readonly<Record<string, string>> = {},
): JsonObject {
  const used = Object.keys(writeNames).filter((name) => Object.hasOwn(patch, name));
  if (used.length === 0) return patch;
  const written = new Set(used);
  // If a patch uses both names of a field, the name for writing takes precedence.
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

/** A path as in the patch: with the platform's name for writing, if the patch uses it. */
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
 * @throws ChangeRefused `not_writable`, naming each field, or when the patch sets too many
 */
export function refuseFixedFields(platform: PlatformName, mapping: Mapping, rawPatch: JsonObject): void {
  const { writeNames } = mapping.resource;
  const fixed = patchedPaths(withShownNames(rawPatch, writeNames)).filter(
    // OData annotations, such as the type of a record, are read-only on every platform.
    (path) => path[0]?.startsWith('@odata.') === true || mapping.fixedPathAt(path) !== undefined,
  );
  if (fixed.length === 0) return;
  const problem = `${platform} lets nobody write it`;
  throw notWritable(fixed.map((path) => ({ path: asWritten(path, rawPatch, writeNames), problem })));
}
