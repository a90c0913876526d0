import { isJsonObject, ownMember, setMember, type JsonObject, type JsonValue } from './json-value';

/**
 * Applies a JSON merge patch (RFC 7396), with one difference: a member patched to null becomes null instead of
 * going away. Both platforms show a cleared field (as null, or as its type's default); they do not drop it.
 */
export function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = { ...target };
  for (const [member, value] of Object.entries(patch)) {
    const current = ownMember(target, member);
    setMember(
      result,
      member,
      isJsonObject(value) ? mergePatch(isJsonObject(current) ? current : {}, value) : value,
    );
  }
  return result;
}
