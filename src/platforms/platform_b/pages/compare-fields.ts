import {
  ownText,
  sameJson,
  valueAt,
  type JsonObject,
  type JsonValue,
  type NativeChange,
  type StoredEntityType,
  type ValueKind,
} from '@app/mapper';
import { sameValue } from './field-kinds';
import { pages } from './pages';

/** The kind of the field at a path; undefined for a field that the page does not have. */
export function kindAt(entityType: StoredEntityType, path: NativeChange['path']): ValueKind | undefined {
  const [name] = path;
  return path.length === 1 && name !== undefined ? pages[entityType].fields.get(name)?.kind : undefined;
}

/** The result of comparing a record with the changes of a write. */
export interface FieldComparison {
  /** Fields to write: they still have the value for which the change was planned. */
  readonly todo: readonly NativeChange[];
  /** Fields to which another user has given a value other than the wanted one. */
  readonly clashes: readonly NativeChange[];
}

/**
 * Compares each wanted field with the present record and with the record that the change was planned for. A field
 * that already has the wanted value needs no write.
 *
 * @param base undefined if it is not known; then no field is in conflict
 */
export function compareFields(
  entityType: StoredEntityType,
  changes: readonly NativeChange[],
  base: JsonObject | undefined,
  current: JsonObject,
): FieldComparison {
  const todo: NativeChange[] = [];
  const clashes: NativeChange[] = [];
  for (const change of changes) {
    const { path } = change;
    const now = valueAt(current, path);
    if (hasWantedValue(entityType, change, current)) continue;
    const kind = kindAt(entityType, path);
    const before = base === undefined ? now : valueAt(base, path);
    if (sameJson(now, before) || sameValue(kind, now, before)) todo.push(change);
    else clashes.push(change);
  }
  return { todo, clashes };
}

/** The value that a write sets for a member; undefined if it does not set the member. */
export function wantedOf(
  { changes }: { readonly changes: readonly NativeChange[] },
  name: string,
): JsonValue | undefined {
  return changes.find(({ path }) => path.length === 1 && path[0] === name)?.value;
}

/** Whether a record has the value that a change wants. */
export function hasWantedValue(
  entityType: StoredEntityType,
  { path, value }: NativeChange,
  record: JsonObject,
): boolean {
  return sameValue(kindAt(entityType, path), valueAt(record, path), value);
}

/** A member as text; empty if it is not a text. */
export function textIn(record: JsonObject, name: string): string {
  return ownText(record, name) ?? '';
}
