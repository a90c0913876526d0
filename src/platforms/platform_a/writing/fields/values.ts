import {
  ExactNumber,
  sameJson,
  valueAt,
  decimalIn,
  sameDecimal,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  type NativeChange,
  type StoredEntityType,
  type ValueKind,
} from '@app/mapper';
import { idText } from '../../wire/ids';
import { nativeResource } from '../../wire/resources';

/** Whether a record shows a field at all. A field that only some records show is shown where the record has it. */
export function isShown(entityType: StoredEntityType, path: JsonPath, current: JsonObject): boolean {
  const name = path.join('.');
  const echo = nativeResource(entityType).fields.get(name)?.echo ?? 'always';
  return echo === 'sometimes' ? Object.hasOwn(current, name) : echo !== 'never';
}

/** The changes of fields that a record does not show, whatever they are. */
export function unshownChanges(
  entityType: StoredEntityType,
  changes: readonly NativeChange[],
  current: JsonObject,
): readonly NativeChange[] {
  return changes.filter(({ path }) => !isShown(entityType, path, current));
}

/**
 * Whether two values of a field mean the same: amounts are compared by value, IDs as text or number, and all spellings
 * of an empty value are equal.
 */
export function sameValue(
  entityType: StoredEntityType,
  path: JsonPath,
  one: JsonValue | undefined,
  other: JsonValue | undefined,
): boolean {
  if (isNothing(one) || isNothing(other)) return isNothing(one) && isNothing(other);
  const kind = kindAt(entityType, path);
  // A company's custom field may be a number in the request and text in the record.
  if (kind === 'decimal' || (kind === undefined && (isNumber(one) || isNumber(other)))) {
    const [left, right] = [decimalIn(one), decimalIn(other)];
    if (left !== undefined && right !== undefined) return sameDecimal(left, right);
  }
  const isId = kind === 'id' || kind === 'foreign_id';
  if (isId && idText(one) !== undefined) return idText(one) === idText(other);
  return sameJson(one, other);
}

function isNumber(value: JsonValue | undefined): boolean {
  return typeof value === 'number' || value instanceof ExactNumber;
}

// The name of a field that is not described tells whether it holds an ID.
function kindAt(entityType: StoredEntityType, path: JsonPath): ValueKind | undefined {
  const described = nativeResource(entityType).fields.get(path.join('.'))?.kind;
  return described ?? (/(?:^|_)id$/.test(path.at(-1) ?? '') ? 'id' : undefined);
}

/** The changes that a record does not show yet. */
export function openChanges(
  entityType: StoredEntityType,
  changes: readonly NativeChange[],
  current: JsonObject,
): readonly NativeChange[] {
  return changes.filter(
    ({ path, value }) =>
      isShown(entityType, path, current) && !sameValue(entityType, path, valueAt(current, path), value),
  );
}

/** The changes of fields that have another value than they had when the changes were made for a record. */
export function changedByOthers(
  { entityType }: { readonly entityType: StoredEntityType },
  changes: readonly NativeChange[],
  current: JsonObject,
  before: JsonObject,
): readonly NativeChange[] {
  return changes.filter(
    ({ path }) => !sameValue(entityType, path, valueAt(current, path), valueAt(before, path)),
  );
}

/** The value that a write wants of a field; undefined where it does not set it. */
export function wantedOf(
  { changes }: { readonly changes: readonly NativeChange[] },
  name: string,
): JsonValue | undefined {
  return changes.findLast(({ path }) => path.join('.') === name)?.value;
}

function isNothing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '';
}
