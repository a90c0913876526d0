import {
  ExactNumber,
  parseDecimalText,
  parseNumberToken,
  sameJson,
  valueAt,
  type Decimal,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  type NativeChange,
  type StoredEntityType,
} from '@app/mapper';
import { idText } from '../wire/ids';

/** Fields that are compared as numbers: the platform writes them in any scale. */
const amounts: Readonly<Record<StoredEntityType, ReadonlySet<string>>> = {
  project: new Set(['total_value', 'latitude', 'longitude', 'square_feet']),
  customer: new Set(),
  contract: new Set(['grand_total', 'retainage_percent']),
  invoice: new Set(['summary.current_payment_due']),
  payment: new Set(['amount']),
};

/** Fields that are taken and never shown. */
const unshown: Readonly<Record<StoredEntityType, ReadonlySet<string>>> = {
  project: new Set([
    'currency_configuration.currency_iso_code',
    'priority',
    'estimated_budget',
    'fax',
    'enable_copy_of_standard_cost_codes',
    'standard_cost_code_list_id',
  ]),
  customer: new Set(['bidding_distribution_ids']),
  contract: new Set(['invoice_contact_user_ids', 'upload_ids']),
  invoice: new Set(['upload_ids', 'prostore_file_ids']),
  payment: new Set(['payment_method', 'invoice_date', 'prostore_file_ids']),
};

/** Whether a record shows a field at all. When an invoice is due is written by a call of its own, and not confirmed to be shown. */
export function isShown(entityType: StoredEntityType, path: JsonPath, current: JsonObject): boolean {
  const name = path.join('.');
  if (entityType === 'invoice' && name === 'due_date') return Object.hasOwn(current, name);
  return !unshown[entityType].has(name);
}

/** The changes of fields that a record does not show, whatever they are. */
export function unshownChanges(
  entityType: StoredEntityType,
  changes: readonly NativeChange[],
  current: JsonObject,
): readonly NativeChange[] {
  return changes.filter(({ path }) => !isShown(entityType, path, current));
}

/** Whether two values of a field mean the same: amounts by value, IDs as text or number, nothing however it is written. */
export function sameValue(
  entityType: StoredEntityType,
  path: JsonPath,
  one: JsonValue | undefined,
  other: JsonValue | undefined,
): boolean {
  if (isNothing(one) || isNothing(other)) return isNothing(one) && isNothing(other);
  if (amounts[entityType].has(path.join('.'))) {
    const [left, right] = [decimalIn(one), decimalIn(other)];
    if (left !== undefined && right !== undefined) return sum(left, negated(right)).units === 0n;
  }
  if (/(?:^|_)id$/.test(path.at(-1) ?? '') && idText(one) !== undefined) return idText(one) === idText(other);
  return sameJson(one, other);
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

/** A decimal of text or number; undefined for anything else. */
export function decimalIn(value: JsonValue | undefined): Decimal | undefined {
  if (typeof value === 'string') return parseDecimalText(value.trim());
  if (typeof value === 'number') return parseNumberToken(String(value));
  return value instanceof ExactNumber ? parseNumberToken(value.token) : undefined;
}

/** Sum, at the larger scale. */
export function sum(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  const at = ({ units, scale: own }: Decimal): bigint => units * 10n ** BigInt(scale - own);
  return { units: at(one) + at(other), scale };
}

export function negated({ units, scale }: Decimal): Decimal {
  return { units: -units, scale };
}

function isNothing(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '';
}
