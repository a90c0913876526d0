import {
  ExactNumber,
  isJsonObject,
  ownMember,
  pathFrom,
  platformOf,
  withValueAt,
  decimalIn,
  type JsonObject,
  type JsonPath,
  type JsonValue,
  type NativeChange,
  type NativeField,
  type StoredEntityType,
  type WritePlace as DescribedPlace,
} from '@app/mapper';
import { idNumber, idText } from '../../wire/ids';
import { nativeResource } from '../../wire/resources';

/** How a change of a field is written. */
export type WritePlace =
  /** Members of the wrapper. */
  | { readonly kind: 'header'; readonly members: JsonObject }
  /** The vendor of a contract, which is named by its ID in the project. */
  | { readonly kind: 'vendor'; readonly member: string; readonly companyId: string | undefined }
  /** The amount of a contract, through its only line; that of an invoice, through its only item. */
  | { readonly kind: 'amount'; readonly amount: JsonValue }
  | { readonly kind: 'due_date'; readonly value: JsonValue }
  /** The field is set by the parent under which the record is created, and cannot change. */
  | { readonly kind: 'scope' }
  /** Never: a new record takes it from its parent. */
  | { readonly kind: 'taken_over' }
  | { readonly kind: 'unwritable' };

/**
 * How a change is written, according to the resource's description of its field. A field without a description cannot
 * be written, except the custom fields that each company defines.
 *
 * @param isNew whether the record is being created: some fields can be written only then
 */
export function placeOf(
  entityType: StoredEntityType,
  { path, value }: NativeChange,
  isNew: boolean,
): WritePlace {
  const field = fieldAt(entityType, path);
  const place = isNew ? field?.creating : field?.changing;
  if (field !== undefined && place !== undefined) return written(field, place, value);
  const members = customMembers(entityType, { path, value }, isNew);
  return members === undefined ? { kind: 'unwritable' } : { kind: 'header', members };
}

/** The field at a path. `office.id` is what `office_id` writes, where the record shows the office. */
function fieldAt(entityType: StoredEntityType, path: JsonPath): NativeField | undefined {
  const { fields, writeNames } = nativeResource(entityType);
  const [first = '', second] = path;
  const name = path.join('.');
  const field = fields.get(name) ?? fields.get(writeNames[name] ?? '');
  return field ?? (path.length === 2 && second === 'id' ? fields.get(`${first}_id`) : undefined);
}

function written({ kind }: NativeField, place: DescribedPlace, value: JsonValue): WritePlace {
  switch (place.kind) {
    case 'member': {
      const sent = place.form === 'number' ? numberOf(value) : sentValue(kind, value);
      return {
        kind: 'header',
        members: { ...withValueAt({}, pathFrom(place.name), sent), ...place.beside },
      };
    }
    case 'project_vendor':
      return { kind: 'vendor', member: place.name, companyId: idText(value) };
    case 'lines':
      return { kind: 'amount', amount: value };
    case 'own_call':
      return { kind: 'due_date', value };
    case 'scope':
      return { kind: 'scope' };
    case 'parent':
      return { kind: 'taken_over' };
    case 'sandbox':
      return { kind: 'unwritable' };
  }
}

function sentValue(kind: NativeField['kind'], value: JsonValue): JsonValue {
  return kind === 'id' && typeof value === 'string' ? idNumber(value) : value;
}

/** The member that writes a custom field, whose value stands inside it; undefined for a record without such fields. */
function customMembers(
  entityType: StoredEntityType,
  { path, value }: NativeChange,
  isNew: boolean,
): JsonObject | undefined {
  const { ownFields } = platformOf('platform_a');
  const shown = ownFields?.pathOf(path) ?? path;
  const places = ownFields?.placesOf(shown, entityType);
  const place = isNew ? places?.creating : places?.changing;
  if (place?.kind !== 'member') return undefined;
  const isWhole = path.length < shown.length;
  const inner = isWhole && isJsonObject(value) ? ownMember(value, 'value') : isWhole ? undefined : value;
  return inner === undefined ? undefined : { [place.name]: inner };
}

/** Text of a decimal as a number with the same digits. */
function numberOf(value: JsonValue): JsonValue {
  return typeof value === 'string' && decimalIn(value) !== undefined
    ? new ExactNumber(plain(value.trim()))
    : value;
}

// JSON has no leading zeros.
function plain(text: string): string {
  return text.replace(/^(-?)0+(?=\d)/, '$1');
}
