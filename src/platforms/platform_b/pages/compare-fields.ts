import type { JsonObject, JsonValue, NativeChange, StoredEntityType } from '@app/mapper';
import { ownMember, sameJson, valueAt } from '@app/mapper';
import { sameValue, type FieldKind } from './field-kinds';
import { pages } from './pages';

/** The kind of the field at a path; undefined for one that the page does not have. */
export function kindAt(entityType: StoredEntityType, path: NativeChange['path']): FieldKind | undefined {
  const [name] = path;
  return path.length === 1 && name !== undefined ? pages[entityType].fields.get(name)?.kind : undefined;
}

/** How a record stands to what a write wants of it. */
export interface FieldComparison {
  /** Fields that are to be written: they are as they were when the change was made. */
  readonly todo: readonly NativeChange[];
  /** Fields that somebody else gave another value than the one wanted. */
  readonly clashes: readonly NativeChange[];
}

/**
 * Compares each wanted field with the record, and with the record that the change was made for. A field that has its
 * wanted value needs no write, whoever wrote it.
 *
 * @param base undefined where it is not known; then nothing clashes
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

/** The value that a write wants of a member; undefined where it does not set it. */
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

/** A member as text; empty when it is none. */
export function textIn(record: JsonObject, name: string): string {
  const value: JsonValue | undefined = ownMember(record, name);
  return typeof value === 'string' ? value : '';
}
