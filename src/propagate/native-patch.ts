import {
  isJsonObject,
  mergePatch,
  overlap,
  sameJson,
  setMember,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  type Mapping,
  type PlatformName,
} from '@app/mapper';
import { notWritable } from './refusals';

/** Paths of the values a merge patch sets: members of nested objects one by one, everything else whole. */
export function patchedPaths(patch: JsonObject, prefix: JsonPath = []): readonly JsonPath[] {
  return Object.entries(patch).flatMap(([member, value]) => {
    const path = [...prefix, member];
    return isJsonObject(value) && Object.keys(value).length > 0 ? patchedPaths(value, path) : [path];
  });
}

/** The patch with the platform's names for writing (`vendor_id`) put where the record shows them (`vendor.id`). */
export function withShownNames(
  patch: JsonObject,
  writeNames: Readonly<Record<string, string>> = {},
): JsonObject {
  let shown: JsonObject = {};
  for (const [member, value] of Object.entries(patch)) {
    const path = Object.hasOwn(writeNames, member) ? writeNames[member]?.split('.') : undefined;
    const nested = (path ?? [member]).reduceRight<JsonValue>((inner, name) => {
      const object: Record<string, JsonValue> = {};
      setMember(object, name, inner);
      return object;
    }, value);
    if (isJsonObject(nested)) shown = mergePatch(shown, nested);
  }
  return shown;
}

/** A path as the caller wrote it: under the platform's name for writing, where the patch uses that. */
export function asWritten(
  path: JsonPath,
  patch: JsonObject,
  writeNames: Readonly<Record<string, string>> = {},
): string {
  const shown = path.join('.');
  const written = Object.keys(patch).find(
    (member) => Object.hasOwn(writeNames, member) && writeNames[member] === shown,
  );
  return written ?? shown;
}

/**
 * Refuses fields of a record that its platform lets nobody write.
 *
 * @throws ApiError 400 naming the field
 */
export function refuseFixedFields(platform: PlatformName, mapping: Mapping, rawPatch: JsonObject): void {
  const { writeNames } = mapping.options;
  const fixed = mapping.fixedPaths.map((path) => path.split('.'));
  for (const path of patchedPaths(withShownNames(rawPatch, writeNames))) {
    if (mapping.writablePaths.some((writable) => sameJson(writable, path))) continue;
    // The type of a record in the OData protocol, and whatever else is an annotation, belongs to the platform.
    if (path[0]?.startsWith('@odata.') || fixed.some((other) => overlap(other, path))) {
      throw notWritable(asWritten(path, rawPatch, writeNames), `${platform} lets nobody write it`);
    }
  }
}
