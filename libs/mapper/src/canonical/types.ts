import {
  address,
  currency,
  date,
  decimal,
  decimalOf,
  indispensable,
  integer,
  integerOf,
  lines,
  localMoney,
  money,
  oneOf,
  price,
  ownToPlatform,
  reference,
  text,
  timestamp,
  truth,
  type Field,
  type Fields,
} from './field';
import { entityTypes, type EntityType } from './entity-type';
import { fieldsOfDefinitions, type OwnFields } from './own-fields';

const created_at = ownToPlatform(timestamp('When the platform created the record.'));
const updated_at = ownToPlatform(timestamp('When the platform last changed the record.'));

export const project = {
  number: text('The contractor’s project number. Business key.'),
  name: indispensable(text('Name of the project.')),
  description: text('What is being built.'),
  status: oneOf('Status of the project.', ['planning', 'quote', 'active', 'completed', 'inactive']),
  stage: text('Construction stage, in the company’s own words.'),
  start_date: date('Planned start.'),
  end_date: date('Planned completion.'),
  actual_start_date: date('Actual start.'),
  projected_end_date: date('Projected completion.'),
  total_value: money('Total value of the project.'),
  currency: ownToPlatform(currency('Currency of the project.')),
  address: address('Where the site is.'),
  created_at,
  updated_at,
} satisfies Fields;

export const customer = {
  number: text('Account number in the ERP.'),
  name: indispensable(text('Name of the company. Business key where there is no tax number.')),
  legal_name: text('Name as registered.'),
  trade_name: text('Name it trades under.'),
  short_name: text('Abbreviated name.'),
  kind: oneOf('Company or person.', ['company', 'person']),
  email: text('E-mail address.'),
  phone: text('Telephone.'),
  mobile: text('Mobile telephone.'),
  website: text('Web site.'),
  address: address('Postal address.'),
  tax_id: text('Tax registration number. Business key.'),
  status: oneOf('Whether business with it is allowed.', [
    'active',
    'ship_blocked',
    'invoice_blocked',
    'inactive',
  ]),
  currency: ownToPlatform(currency('Currency in which it is paid.')),
  credit_limit: localMoney('Credit limit, in the ERP company’s local currency.'),
  balance_due: localMoney('Open balance, in the ERP company’s local currency.'),
  parent_id: reference('customer', 'The company it belongs to.'),
  created_at,
  updated_at,
} satisfies Fields;

const contractStatuses = [
  'draft',
  'out_for_bid',
  'processing',
  'pending_approval',
  'approved',
  'in_progress',
  'completed',
  'closed',
  'terminated',
  'void',
] as const;

export const contract = {
  kind: oneOf('Subcontract or purchase order.', ['work_order', 'purchase_order']),
  number: text('Contract number. Business key.'),
  title: text('Title.'),
  description: text('Scope of work; may hold HTML.'),
  status: oneOf('Status of the contract.', contractStatuses),
  project_id: reference('project', 'The project it is for.'),
  customer_id: reference('customer', 'The other party.'),
  contract_date: date('Date of the contract.'),
  start_date: date('Agreed start.'),
  completion_date: date('Agreed or estimated completion.'),
  actual_completion_date: date('Actual completion.'),
  executed_on: date('Signed by both parties.'),
  issued_on: date('Issued.'),
  signed_received_on: date('Signed copy received.'),
  returned_on: date('Returned.'),
  letter_of_intent_on: date('Letter of intent.'),
  approval_letter_on: date('Approval letter.'),
  executed: truth('Whether it has been executed.'),
  private: truth('Whether only its parties may see it.'),
  amount: indispensable(money('Original value, before change orders; the sum of the lines.')),
  approved_changes: money('Sum of approved change orders.'),
  pending_changes: money('Sum of pending change orders.'),
  draft_changes: money('Sum of draft change orders.'),
  revised_amount: money('Original value and approved change orders.'),
  tax_amount: money('Tax on the amount.'),
  total_with_tax: money('Amount and tax.'),
  invoiced_amount: money('Invoiced so far.'),
  paid_amount: money('Paid so far.'),
  balance: money('What remains to be paid.'),
  percent_paid: decimalOf('percent', 'Share paid, 0 to 100.'),
  retainage_percent: decimalOf('percent', 'Share held back from each invoice, 0 to 100.'),
  discount_amount: money('Discount on the document.'),
  currency: ownToPlatform(currency('Currency of the contract.')),
  lines: ownToPlatform(lines('Schedule of values.')),
  created_at,
  updated_at,
} satisfies Fields;

export const invoice = {
  number: text('The supplier’s invoice number. Business key.'),
  sequence: integer('Number of the requisition within its contract.'),
  status: oneOf('Status of the invoice.', [
    'draft',
    'in_review',
    'revise_and_resubmit',
    'pending_owner_approval',
    'approved',
    'approved_as_noted',
    'paid',
    'canceled',
    'corrective',
  ]),
  contract_id: reference('contract', 'The contract it bills.'),
  project_id: reference('project', 'The project it is for.'),
  customer_id: reference('customer', 'Who sent it.'),
  invoice_date: date('Date on the invoice.'),
  posting_date: date('Booking date.'),
  due_date: date('When it is due.'),
  period_start: date('First day billed.'),
  period_end: date('Last day billed.'),
  submitted_on: date('When it was submitted.'),
  paid_on: date('When it was paid.'),
  amount: indispensable(money('Net payable for the period, tax included.')),
  tax_amount: money('Tax within the amount.'),
  net_amount: money('Amount without tax.'),
  claimed_amount: money('What was claimed, before retainage and review.'),
  remaining_amount: money('What is still open.'),
  retainage_amount: money('Held back so far, over the whole contract.'),
  retainage_percent: decimalOf('percent', 'Share held back from completed work, 0 to 100.'),
  percent_complete: decimalOf('percent', 'Progress of the contract, 0 to 100.'),
  discount_amount: money('Discount on the document.'),
  final: truth('Whether it is the last one of its contract.'),
  kind: oneOf('What is billed.', ['progress', 'retainage_release', 'progress_and_retainage_release']),
  currency: ownToPlatform(currency('Currency of the invoice.')),
  lines: ownToPlatform(lines('Lines of the invoice.')),
  created_at,
  updated_at,
} satisfies Fields;

export const payment = {
  amount: indispensable(money('What is paid; positive in the ordinary direction, negative for a refund.')),
  status: oneOf('Status of the payment.', [
    'pending',
    'unpaid',
    'in_review',
    'approved',
    'processing',
    'paid',
    'rejected',
    'failed',
  ]),
  date: date('Date of payment.'),
  check_number: text('Number of the cheque or transfer. Business key.'),
  invoice_number: text('The supplier’s number of the invoice it pays.'),
  invoice_id: reference('invoice', 'The invoice it pays.'),
  contract_id: reference('contract', 'The contract it is paid under.'),
  project_id: reference('project', 'The project it is for.'),
  customer_id: reference('customer', 'Who is paid.'),
  notes: text('Remark.'),
  description: text('Text of the journal line.'),
  created_at,
  updated_at,
} satisfies Fields;

export const employee = {
  number: text('Personnel number.'),
  first_name: text('Given name.'),
  middle_name: text('Middle name.'),
  last_name: indispensable(text('Family name.')),
  display_name: text('Name as shown.'),
  email: text('Company e-mail address.'),
  personal_email: text('Private e-mail address.'),
  job_title: text('Job title.'),
  phone: text('Telephone.'),
  mobile: text('Mobile telephone.'),
  address: address('Postal address.'),
  status: oneOf('Whether the person works here.', ['active', 'inactive', 'terminated']),
  is_employee: truth('Employed here, rather than by a vendor.'),
  hired_on: date('First day of employment.'),
  terminated_on: date('Last day of employment.'),
  created_at,
  updated_at,
} satisfies Fields;

export const timeEntry = {
  date: date('Day worked.'),
  hours: decimalOf('hours', 'Hours worked.'),
  employee_id: reference('employee', 'Who worked.'),
  project_id: reference('project', 'On which project.'),
  cost_code: text('Cost code or job task.'),
  status: oneOf('Status of the approval.', [
    'pending',
    'submitted',
    'reviewed',
    'approved',
    'completed',
    'rejected',
  ]),
  description: text('What was done.'),
  billable: truth('Whether it is billed to the customer.'),
  started_at: text('Start, as the platform gives it: a time of day, or an instant.'),
  ended_at: text('End, as the platform gives it.'),
  break_minutes: integerOf('minutes', 'Break, in minutes.'),
  time_type: text('Kind of time, such as regular or overtime.'),
  deleted_at: timestamp('When the platform deleted the record.'),
  created_at,
  updated_at,
} satisfies Fields;

export const changeOrder = {
  number: text('Number within the contract.'),
  revision: integer('Revision of the change order.'),
  title: text('Title.'),
  description: text('What changes; may hold HTML.'),
  status: oneOf('Status of the change order.', [
    'draft',
    'pricing',
    'not_pricing',
    'pending',
    'revised',
    'proceeding',
    'pending_billable',
    'approved',
    'no_charge',
    'rejected',
    'not_proceeding',
    'void',
    'expired',
  ]),
  contract_id: reference('contract', 'The contract it changes.'),
  project_id: reference('project', 'The project it is for.'),
  customer_id: reference('customer', 'The other party.'),
  amount: money('Change of the contract value; negative for a deduction.'),
  document_date: date('Date of the document.'),
  due_date: date('When an answer is due.'),
  valid_until: date('Until when it may be accepted.'),
  sent_at: timestamp('When it was sent.'),
  approved_on: date('When it was accepted.'),
  reviewed_at: timestamp('When it was reviewed.'),
  schedule_impact_days: integerOf('days', 'Days added to the schedule.'),
  invoiced_on: date('When it was invoiced.'),
  paid_on: date('When it was paid.'),
  signed_received_on: date('When the signed copy was received.'),
  executed: truth('Whether it has been executed.'),
  paid: truth('Whether it has been paid.'),
  private: truth('Whether only its parties may see it.'),
  reference: text('Reference to what caused it.'),
  tax_amount: money('Tax on the amount.'),
  total_with_tax: money('Amount and tax.'),
  discount_amount: money('Discount on the document.'),
  currency: ownToPlatform(currency('Currency of the change order.')),
  lines: ownToPlatform(lines('Lines of the change order.')),
  created_at,
  updated_at,
} satisfies Fields;

export const budgetLineItem = {
  project_id: reference('project', 'The project it is for.'),
  cost_code: text('Budget code or job task.'),
  name: text('What is budgeted.'),
  budgeted_amount: money('Original budget.'),
  quantity: decimal('Quantity.'),
  unit_cost: price('Cost of one unit.'),
  uom: text('Unit of measure.'),
  calculation: oneOf('How the amount is computed.', ['automatic', 'manual']),
  currency: ownToPlatform(currency('Currency of the budget.')),
  planned_on: date('Planning date.'),
  kind: oneOf('Budget, billable or both.', ['budget', 'billable', 'both']),
  account_type: oneOf('Kind of account that the line is booked on.', ['resource', 'item', 'account', 'text']),
  account: text('Number of the resource, item or account.'),
  unit_price: price('Sales price of one unit.'),
  total_price: money('Sales price of the line.'),
  created_at,
  updated_at,
} satisfies Fields;

/** Members of every canonical object that are about the object itself: no fields, and not for clients to write. */
export const commonMembers: ReadonlySet<string> = new Set([
  'id',
  'object',
  'external_ids',
  'provider_metadata',
]);

/** Fields that a platform changes with every write, so that they are no change by themselves. */
export const timestampFields: ReadonlySet<string> = new Set(['created_at', 'updated_at']);

/** The fields of all canonical types. Every type also has the {@link commonMembers}. */
export const canonicalFields = {
  project,
  customer,
  contract,
  invoice,
  payment,
  employee,
  time_entry: timeEntry,
  change_order: changeOrder,
  budget_line_item: budgetLineItem,
} satisfies Record<EntityType, Fields>;

/** Field definitions of one type, looked up by a name from outside. @param own the customer's own fields */
export function fieldsOf(entityType: EntityType, own?: OwnFields): Fields {
  return own === undefined ? canonicalFields[entityType] : tablesWith(own, entityType).fields;
}

/** A field with its name. */
export type NamedField = Field<unknown> & { readonly name: string };

/** The fields of a type by name, and in their order. */
interface FieldTable {
  readonly fields: Fields;
  readonly list: readonly NamedField[];
}

const fieldLists = new Map<EntityType, readonly NamedField[]>(
  entityTypes.map((entityType) => [entityType, namedFields(canonicalFields[entityType])]),
);

/**
 * Field definitions of one type in their order, for a walk through all of them; own ones come last.
 *
 * @param own the customer's own fields
 */
export function fieldListOf(entityType: EntityType, own?: OwnFields): readonly NamedField[] {
  return (own === undefined ? fieldLists.get(entityType) : tablesWith(own, entityType).list) ?? [];
}

// Made once for the own fields of a customer, and held by them alone.
const extended = new WeakMap<OwnFields, Map<EntityType, FieldTable>>();

function tablesWith(own: OwnFields, entityType: EntityType): FieldTable {
  let tables = extended.get(own);
  if (tables === undefined) extended.set(own, (tables = new Map<EntityType, FieldTable>()));
  let table = tables.get(entityType);
  if (table === undefined) {
    const fields = { ...canonicalFields[entityType], ...fieldsOfDefinitions(own.of(entityType)) };
    tables.set(entityType, (table = { fields, list: namedFields(fields) }));
  }
  return table;
}

function namedFields(fields: Fields): readonly NamedField[] {
  return Object.entries(fields).map(([name, field]) => ({ ...field, name }));
}
