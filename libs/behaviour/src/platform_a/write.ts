import { join } from 'node:path';
import {
  divideHalfEven,
  formatDecimal,
  isJsonObject,
  ownMember,
  minus,
  negated,
  plus,
  type Decimal,
  type JsonObject,
  type JsonValue,
} from '@app/mapper';
import type { Occasion, SimulatedWrite } from '../behaviour';
import { newRecordsFrom } from '../json-files';
import { PayloadDraft } from '../payload-draft';

const newRecord = newRecordsFrom(join(__dirname, 'new_records.json'));

/**
 * How the project platform reacts to a write: it keeps values as they are sent, computes its totals, shows names beside
 * the IDs it is given, and stamps `updated_at`.
 */
export function writeToPlatformA(write: SimulatedWrite, occasion: Occasion): JsonObject {
  const { entityType, current, changes } = write;
  const draft = new PayloadDraft(current ?? created(write, occasion));
  for (const { path, value } of changes) draft.setAt(path, value);
  const touched = new Set(changes.map(({ path }) => path.join('.')));
  for (const path of ids) {
    const id = draft.get(path);
    if (touched.has(path) && typeof id === 'string' && /^\d{1,15}$/.test(id)) draft.set(path, Number(id));
  }

  showNames(draft, write, touched);
  if (entityType === 'contract' && touched.has('grand_total')) contractTotals(draft);
  if (entityType === 'invoice' && (current === undefined || touched.has('summary.current_payment_due'))) {
    requisitionSummary(draft);
  }
  if (entityType === 'project' && (touched.has('name') || touched.has('project_number'))) {
    draft.set('display_name', [draft.get('project_number'), draft.get('name')].filter(isText).join(' '));
  }
  if (entityType === 'customer' && touched.has('name')) draft.setShown('company', draft.get('name') ?? null);
  draft.set('updated_at', stamp(occasion.now));
  return draft.payload;
}

/** Fields that hold the ID of another record: taken as text as well, shown as numbers. */
const ids = ['vendor.id', 'requisition_id', 'parent.id'];

function created({ entityType }: SimulatedWrite, occasion: Occasion): JsonObject {
  return {
    ...newRecord(entityType),
    id: occasion.integer(1_000_000_000, 100_000_000_000),
    created_at: stamp(occasion.now),
  };
}

function showNames(
  draft: PayloadDraft,
  { entityType, referred }: SimulatedWrite,
  touched: ReadonlySet<string>,
): void {
  const nameOf = (field: string, ...members: string[]): JsonValue => {
    const record = referred[field];
    return members.map((member) => record && ownMember(record, member)).find(isText) ?? null;
  };
  if (entityType === 'contract') {
    if (touched.has('vendor.id')) draft.set('vendor.company', nameOf('customer_id', 'name'));
    if (touched.has('project.id')) draft.set('project.name', nameOf('project_id', 'name'));
  }
  if (entityType === 'invoice' && touched.has('commitment_id')) {
    const vendor = referred.contract_id && ownMember(referred.contract_id, 'vendor');
    if (vendor !== undefined && isJsonObject(vendor)) {
      draft.set('vendor_id', ownMember(vendor, 'id') ?? null);
      draft.set('vendor_name', ownMember(vendor, 'company') ?? null);
    }
    const number = nameOf('contract_id', 'number');
    draft.set('contract_name', isText(number) ? `Contract ${number}` : null);
    certifyOn(draft, referred.contract_id);
  }
}

/** A certificate repeats the sums of the contract it is for. */
function certifyOn(draft: PayloadDraft, contract: JsonObject | undefined): void {
  const sums = {
    original_contract_sum: 'grand_total',
    net_change_by_change_orders: 'approved_change_orders',
    contract_sum_to_date: 'revised_contract',
  };
  for (const [field, source] of Object.entries(sums)) {
    const sum = contract && ownMember(contract, source);
    if (isText(sum)) draft.setShown(`summary.${field}`, sum);
  }
  const kind =
    contract && Object.hasOwn(contract, 'ship_to_address') ? 'PurchaseOrderContract' : 'WorkOrderContract';
  draft.setShown('commitment_type', kind);
}

/** The original value, the only line behind it, and all sums that follow. */
function contractTotals(draft: PayloadDraft): void {
  const total = draft.decimal('grand_total');
  const revised = plus(total, draft.decimal('approved_change_orders'));
  const paid = draft.decimal('total_payments');
  draft.setShown('revised_contract', text(revised));
  draft.setShown('pending_revised_contract', text(plus(revised, draft.decimal('pending_change_orders'))));
  draft.setShown('remaining_balance_outstanding', text(minus(revised, paid)));
  draft.setShown('percentage_paid', percentage(paid, revised, 3));
  const line = draft.onlyLine('line_items');
  if (line !== undefined) draft.set('line_items', [oneLine(line, draft.get('grand_total') ?? null)]);
}

// The line's price follows its amount as a lump sum, because the unit price cannot be derived.
function oneLine(line: JsonObject, amount: JsonValue): JsonObject {
  const draft = new PayloadDraft(line);
  for (const field of ['amount', 'total_amount', 'extended_amount', 'unit_cost'])
    draft.setShown(field, amount);
  draft.setShown('quantity', '1.0');
  return draft.payload;
}

/** The amount due and the sums that include it, from the certificate's last line upwards. */
function requisitionSummary(draft: PayloadDraft): void {
  const due = draft.decimal('summary.current_payment_due');
  const tax = draft.decimal('summary.tax_applicable_to_this_payment');
  const earned = plus(due, negated(tax), draft.decimal('summary.less_previous_certificates_for_payment'));
  const completed = plus(earned, draft.decimal('summary.total_retainage'));
  const change = plus(completed, negated(draft.decimal('summary.total_completed_and_stored_to_date')));
  draft.setShown('summary.total_earned_less_retainage', text(earned));
  draft.setShown('summary.total_completed_and_stored_to_date', text(completed));
  draft.setShown(
    'summary.balance_to_finish_including_retainage',
    text(plus(draft.decimal('summary.contract_sum_to_date'), negated(earned))),
  );
  draft.setShown('percent_complete', percentage(completed, draft.decimal('summary.contract_sum_to_date'), 2));
  const item = draft.onlyLine('items');
  if (item === undefined) return;
  const line = new PayloadDraft(item);
  for (const field of ['work_completed_this_period', 'total_completed_and_stored_to_date']) {
    if (isText(line.get(field))) line.set(field, text(plus(line.decimal(field), change)));
  }
  const done = line.decimal('total_completed_and_stored_to_date');
  line.setShown(
    'total_completed_and_stored_to_date_percent',
    percentage(done, line.decimal('scheduled_value'), 2),
  );
  draft.set('items', [line.payload]);
}

/** Share in percent with so many decimals at most, as the platform shows it; zero of nothing. */
function percentage(part: Decimal, whole: Decimal, decimals: number): string {
  if (whole.units === 0n) return '0.0';
  const scale = Math.max(part.scale, whole.scale);
  const numerator = part.units * 10n ** BigInt(scale - part.scale + decimals + 2);
  const denominator = whole.units * 10n ** BigInt(scale - whole.scale);
  const share =
    denominator < 0n ? divideHalfEven(-numerator, -denominator) : divideHalfEven(numerator, denominator);
  return formatDecimal(share, decimals).replace(/(\.\d{1,9}?)0{1,9}$/, '$1');
}

function text({ units, scale }: Decimal): string {
  return formatDecimal(units, scale);
}

/** Seconds, no fraction: the platform's own form. */
function stamp(now: Date): string {
  return now.toISOString().replace(/\.\d+Z$/, 'Z');
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
