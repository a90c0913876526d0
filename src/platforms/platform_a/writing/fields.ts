import {
  ExactNumber,
  isJsonObject,
  ownMember,
  type JsonObject,
  type JsonValue,
  type NativeChange,
  type StoredEntityType,
} from '@app/mapper';
import { idNumber, idText } from '../wire/ids';
import { decimalIn } from './values';

/** How a change of a field is written. */
export type WritePlace =
  /** Members of the wrapper. */
  | { readonly kind: 'header'; readonly members: JsonObject }
  /** The vendor of a contract, which is named by its ID in the project. */
  | { readonly kind: 'vendor'; readonly companyId: string | undefined }
  /** The amount of a contract, through its only line; that of an invoice, through its only item. */
  | { readonly kind: 'amount'; readonly amount: JsonValue }
  | { readonly kind: 'due_date'; readonly value: JsonValue }
  /** By what the record is created under, once and for all. */
  | { readonly kind: 'scope' }
  /** Never: a new record takes it from its parent. */
  | { readonly kind: 'taken_over' }
  | { readonly kind: 'unwritable' };

const contractFields = [
  ...[
    'number',
    'title',
    'status',
    'description',
    'inclusions',
    'exclusions',
    'accounting_method',
    'executed',
  ],
  ...[
    'private',
    'retainage_percent',
    'show_line_items_to_non_admins',
    'contract_date',
    'contract_start_date',
  ],
  ...['contract_estimated_completion_date', 'actual_completion_date', 'execution_date', 'issued_on_date'],
  ...['letter_of_intent_date', 'approval_letter_date', 'returned_date', 'signed_contract_received_date'],
  ...['invoice_contact_user_ids', 'upload_ids', 'origin_id', 'origin_data', 'origin_code'],
  ...['assignee_id', 'bill_to_address', 'ship_to_address', 'ship_via', 'payment_terms', 'delivery_date'],
];

/** What may be written in a wrapper, by its name for writing. Everything else follows from something, or is the platform's. */
const writable: Readonly<Record<StoredEntityType, ReadonlySet<string>>> = {
  project: new Set([
    ...[
      'name',
      'project_number',
      'description',
      'active',
      'start_date',
      'completion_date',
      'warranty_start_date',
    ],
    ...['warranty_end_date', 'total_value', 'address', 'city', 'state_code', 'country_code', 'zip', 'county'],
    ...[
      'phone',
      'fax',
      'latitude',
      'longitude',
      'time_zone',
      'tz_name',
      'square_feet',
      'flag',
      'store_number',
    ],
    ...[
      'accounting_project_number',
      'sector',
      'work_scope',
      'delivery_method',
      'parent_job_id',
      'program_id',
    ],
    ...[
      'office_id',
      'department_ids',
      'standard_cost_code_list_id',
      'origin_id',
      'origin_data',
      'origin_code',
    ],
    ...[
      'project_stage_id',
      'project_type_id',
      'project_region_id',
      'project_owner_type_id',
      'project_bid_type_id',
    ],
  ]),
  customer: new Set([
    ...[
      'name',
      'abbreviated_name',
      'trade_name',
      'notes',
      'license_number',
      'labor_union',
      'website',
      'address',
    ],
    ...['city', 'state_code', 'zip', 'country_code', 'business_phone', 'mobile_phone', 'fax_number'],
    ...['email_address', 'is_active', 'authorized_bidder', 'prequalified', 'union_member'],
    ...['non_union_prevailing_wage', 'parent_id', 'vendor_group_id', 'primary_contact_id', 'trade_ids'],
    ...['standard_cost_code_ids', 'bidding_distribution_ids', 'origin_id', 'origin_data', 'origin_code'],
  ]),
  contract: new Set(contractFields),
  invoice: new Set([
    ...[
      'invoice_number',
      'period_id',
      'requisition_start',
      'requisition_end',
      'billing_date',
      'payment_date',
    ],
    ...['submitted_at', 'final', 'status', 'origin_id', 'origin_data', 'upload_ids', 'prostore_file_ids'],
  ]),
  payment: new Set([
    ...['amount', 'date', 'invoice_number', 'check_number', 'invoice_date', 'draw_request_number'],
    ...['payment_number', 'payment_method', 'notes', 'requisition_id', 'origin_id', 'origin_data'],
    'prostore_file_ids',
  ]),
};

const currencyField = 'currency_configuration.currency_iso_code';

/** Fields that a new project takes under other names. */
const newProjectFields: Readonly<Record<string, (value: JsonValue) => JsonObject>> = {
  code: (value) => ({ code: value }),
  priority: (value) => ({ priority: value }),
  estimated_budget: (value) => ({ estimated_budget: numberOf(value) }),
  enable_copy_of_standard_cost_codes: (value) => ({ enable_copy_of_standard_cost_codes: value }),
  actual_start_date: (value) => ({ override_start_date: value, override_start_date_check: true }),
  projected_finish_date: (value) => ({ override_end_date: value, override_end_date_check: true }),
};

const scopeFields: Readonly<Record<StoredEntityType, ReadonlySet<string>>> = {
  project: new Set(),
  customer: new Set(),
  contract: new Set(['project.id']),
  invoice: new Set(['project_id', 'commitment_id']),
  payment: new Set(['project_id', 'contract_id']),
};

/**
 * How a change is written.
 *
 * @param isNew whether the record is being created, when more may be said
 */
export function placeOf(
  entityType: StoredEntityType,
  { path, value }: NativeChange,
  isNew: boolean,
): WritePlace {
  const name = path.join('.');
  if (isNew && scopeFields[entityType].has(name)) return { kind: 'scope' };
  // The currency of an invoice is its contract's.
  if (isNew && entityType === 'invoice' && name === currencyField) return { kind: 'taken_over' };
  if (entityType === 'contract') {
    if (name === 'vendor.id') return { kind: 'vendor', companyId: idText(value) };
    if (name === 'vendor' && value === null) return { kind: 'vendor', companyId: undefined };
    if (name === 'grand_total') return { kind: 'amount', amount: value };
  }
  if (entityType === 'invoice') {
    if (name === 'summary.current_payment_due') return { kind: 'amount', amount: value };
    if (name === 'due_date') return { kind: 'due_date', value };
  }
  const members = newMembers(entityType, name, value, isNew) ?? membersOf(entityType, path, value);
  return members === undefined ? { kind: 'unwritable' } : { kind: 'header', members };
}

function newMembers(
  entityType: StoredEntityType,
  name: string,
  value: JsonValue,
  isNew: boolean,
): JsonObject | undefined {
  if (!isNew) return undefined;
  if (name === currencyField) {
    if (entityType === 'contract') return { currency_iso_code: value };
    if (entityType === 'project') return { currency_configuration: { currency_iso_code: value } };
  }
  return entityType === 'project' && Object.hasOwn(newProjectFields, name)
    ? newProjectFields[name]?.(value)
    : undefined;
}

function membersOf(
  entityType: StoredEntityType,
  path: readonly string[],
  value: JsonValue,
): JsonObject | undefined {
  const [first = '', second, third] = path;
  if (first === 'custom_fields' && second !== undefined && /^custom_field_\d+$/.test(second)) {
    if (path.length === 3 && third === 'value') return { [second]: value };
    const inner = path.length === 2 && isJsonObject(value) ? ownMember(value, 'value') : undefined;
    return inner === undefined ? undefined : { [second]: inner };
  }
  const name = path.length === 1 ? first : path.length === 2 && second === 'id' ? `${first}_id` : undefined;
  if (name === undefined || !writable[entityType].has(name)) return undefined;
  return { [name]: sentValue(entityType, name, value) };
}

function sentValue(entityType: StoredEntityType, name: string, value: JsonValue): JsonValue {
  if (entityType === 'project' && name === 'total_value') return numberOf(value);
  if (name === 'origin_id' || !name.endsWith('_id') || typeof value !== 'string') return value;
  return idNumber(value);
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
