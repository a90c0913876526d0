import {
  isJsonArray,
  isJsonObject,
  stringifyJson,
  type JsonObject,
  type JsonValue,
  type NativeChange,
} from '@app/mapper';

/** Changes as JSON, in the form in which they are stored. */
export function storedChanges(changes: readonly NativeChange[]): readonly JsonObject[] {
  return changes.map(({ path, value }) => ({ path, value }));
}

/** Like {@link storedChanges}, as JSON text. */
export function changesText(changes: readonly NativeChange[]): string {
  return stringifyJson(storedChanges(changes));
}

/** Changes from their stored JSON. @throws Error if the JSON is no list of changes */
export function changesIn(value: JsonValue | undefined): readonly NativeChange[] {
  if (!isJsonArray(value)) throw new Error('A stored command holds no list of changes');
  return value.map((change) => {
    if (!isJsonObject(change) || !isJsonArray(change.path) || change.value === undefined) {
      throw new Error('A stored command holds something that is no change');
    }
    return { path: change.path.map(String), value: change.value };
  });
}
