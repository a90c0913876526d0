import { isJsonArray, isJsonObject, type JsonValue, type NativeChange } from '@app/mapper';

/** Changes from JSON as it is stored. @throws Error when it holds what is never stored */
export function changesIn(value: JsonValue | undefined): readonly NativeChange[] {
  if (!isJsonArray(value)) throw new Error('A stored command holds no list of changes');
  return value.map((change) => {
    if (!isJsonObject(change) || !isJsonArray(change.path) || change.value === undefined) {
      throw new Error('A stored command holds something that is no change');
    }
    return { path: change.path.map(String), value: change.value };
  });
}
