import type { JsonObject, JsonValue, Money } from '@app/mapper';
import {
  currencyOf,
  objectAt,
  readCurrency,
  readDate,
  readId,
  readInstant,
  readInteger,
  readMoney,
  readPercent,
  readText,
  readTruth,
  readWord,
  Taken,
} from './reading';
import { namedById, targetOf, translated, type KnownRecords, type Translated } from './translated';
import { writeCode, writeDate, writeId, writeKey, writeMoney, writeWord, Written } from './writing';

const statusesOfA = new Map([
  ['draft', 'draft'],
  ['under_review', 'in_review'],
  ['revise_and_resubmit', 'revise_and_resubmit'],
  ['pending_owner_approval', 'pending_owner_approval'],
  ['approved', 'approved'],
  ['approved_as_noted', 'approved_as_noted'],
]);
const statusesOfB = new Map([
  ['draft', 'Draft'],
  ['in_review', 'In_x0020_Review'],
  ['revise_and_resubmit', 'Draft'],
  ['pending_owner_approval', 'In_x0020_Review'],
  ['approved', 'Open'],
  ['approved_as_noted', 'Open'],
  ['paid', 'Paid'],
  ['canceled', 'Canceled'],
  ['corrective', 'Corrective'],
]);
const kinds = new Map([
  ['progress', 'progress'],
  ['retainage_release', 'retainage_release'],
  ['progress_and_retainage_release', 'progress_and_retainage_release'],
]);

/** A requisition of platform_a as a sales invoice of platform_b. */
export function translateInvoice(record: JsonObject, inherited: string, known: KnownRecords): Translated {
  const taken = new Taken();
  const {
    invoice_number,
    number,
    status,
    billing_date,
    due_date,
    requisition_start,
    requisition_end,
    submitted_at,
    payment_date,
    total_claimed_amount,
    percent_complete,
    final,
    invoice_type,
    summary,
    currency_configuration,
    ...fields
  } = record;
  const { currency_iso_code, ...configuration } = objectAt(currency_configuration) ?? {};
  const {
    current_payment_due,
    tax_applicable_to_this_payment,
    total_retainage,
    completed_work_retainage_percent,
    ...sums
  } = objectAt(summary) ?? {};
  const { currency, namesCurrency } = currencyOf(currency_iso_code, inherited);

  readText(taken, 'number', invoice_number, 'invoice_number');
  readInteger(taken, 'sequence', number, 'number');
  readWord(taken, 'status', status, statusesOfA, 'status');
  readDate(taken, 'invoice_date', billing_date, 'billing_date');
  readDate(taken, 'due_date', due_date, 'due_date');
  readDate(taken, 'period_start', requisition_start, 'requisition_start');
  readDate(taken, 'period_end', requisition_end, 'requisition_end');
  readDate(taken, 'submitted_on', submitted_at, 'submitted_at');
  readDate(taken, 'paid_on', payment_date, 'payment_date');
  readMoney(taken, 'amount', current_payment_due, currency, 'summary.current_payment_due');
  readMoney(
    taken,
    'tax_amount',
    tax_applicable_to_this_payment,
    currency,
    'summary.tax_applicable_to_this_payment',
  );
  readMoney(taken, 'claimed_amount', total_claimed_amount, currency, 'total_claimed_amount');
  readMoney(taken, 'retainage_amount', total_retainage, currency, 'summary.total_retainage');
  readPercent(
    taken,
    'retainage_percent',
    completed_work_retainage_percent,
    'summary.completed_work_retainage_percent',
  );
  readPercent(taken, 'percent_complete', percent_complete, 'percent_complete');
  readTruth(taken, 'final', final, 'final');
  readWord(taken, 'kind', invoice_type, kinds, 'invoice_type');
  readCurrency(taken, currency_iso_code, currency, 'currency_configuration.currency_iso_code');
  readInstant(taken, 'created_at', fields['created_at'], 'created_at');
  readInstant(taken, 'updated_at', fields['updated_at'], 'updated_at');
  const contract = namedById(
    'contract',
    readId(taken, fields['commitment_id'], 'commitment_id'),
    'commitment_id',
  );
  const project = namedById('project', readId(taken, fields['project_id'], 'project_id'), 'project_id');
  const customer = namedById('customer', readId(taken, fields['vendor_id'], 'vendor_id'), 'vendor_id');
  const { data } = taken;
  // They were read as money.
  const amount = data['amount'] as Money | null | undefined;
  const tax = data['tax_amount'] as Money | null | undefined;
  if (amount && tax) {
    const net = amount.amount - tax.amount;
    if (Number.isSafeInteger(net)) data['net_amount'] = { amount: net, currency: amount.currency };
  }
  const rest: Record<string, JsonValue> = fields;
  keep(rest, 'summary', summary, sums);
  keep(rest, 'currency_configuration', currency_configuration, configuration);

  const written = new Written();
  writeCode(written, 'externalDocumentNumber', data['number'], 'number', 35);
  writeWord(written, 'status', data['status'], statusesOfB);
  const contractTarget = targetOf(contract, known);
  writeId(written, 'orderId', contractTarget);
  writeKey(written, 'customerPurchaseOrderReference', contractTarget, 35, false);
  writeKey(written, 'shortcutDimension1Code', targetOf(project, known), 20, true);
  writeId(written, 'customerId', targetOf(customer, known));
  writeDate(written, 'invoiceDate', data['invoice_date']);
  writeDate(written, 'dueDate', data['due_date']);
  writeMoney(written, 'totalAmountIncludingTax', data['amount'], 'amount', currency);
  writeMoney(written, 'totalTaxAmount', data['tax_amount'], 'tax_amount', currency);
  writeMoney(written, 'totalAmountExcludingTax', data['net_amount'], 'net_amount', currency);
  if (data['currency'] !== undefined) written.payload['currencyCode'] = data['currency'] ?? '';

  return translated(
    taken,
    rest,
    undefined,
    {
      nativeId: readId(taken, fields['id'], 'id') ?? undefined,
      references: {
        ...(contract && { contract_id: contract }),
        ...(project && { project_id: project }),
        ...(customer && { customer_id: customer }),
      },
      currency,
      namesCurrency,
    },
    written,
  );
}

/** Keeps the rest of an object, and removes an object that became empty. */
export function keep(
  rest: Record<string, JsonValue>,
  name: string,
  original: JsonValue | undefined,
  left: JsonObject,
): void {
  if (original === undefined) return;
  const object = objectAt(original);
  if (object === undefined || Object.keys(object).length === 0) rest[name] = original;
  else if (Object.keys(left).length > 0) rest[name] = left;
}
