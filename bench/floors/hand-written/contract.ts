import type { JsonObject, JsonValue } from '@app/mapper';
import { keep } from './invoice';
import { readLines, writeLines } from './lines';
import {
  currencyOf,
  objectAt,
  readCurrency,
  readDate,
  readId,
  readInstant,
  readMoney,
  readPercent,
  readText,
  readTruth,
  readWord,
  Taken,
} from './reading';
import { namedById, targetOf, translated, type KnownRecords, type Translated } from './translated';
import { writeCode, writeDate, writeId, writeKey, writeMoney, writeWord, Written } from './writing';

const statusesOfWorkOrders = new Map([
  ['Draft', 'draft'],
  ['Out For Bid', 'out_for_bid'],
  ['Out For Signature', 'pending_approval'],
  ['Approved', 'approved'],
  ['Complete', 'completed'],
  ['Terminated', 'terminated'],
  ['Void', 'void'],
]);
const statusesOfPurchaseOrders = new Map([
  ['Draft', 'draft'],
  ['Processing', 'processing'],
  ['Submitted', 'pending_approval'],
  ['Partially Received', 'in_progress'],
  ['Received', 'completed'],
  ['Approved', 'approved'],
  ['Closed', 'closed'],
]);
const statusesOfB = new Map([
  ['draft', 'Draft'],
  ['out_for_bid', 'Draft'],
  ['pending_approval', 'In_x0020_Review'],
  ['processing', 'In_x0020_Review'],
  ['approved', 'Open'],
  ['in_progress', 'Open'],
]);

/** A commitment of platform_a as a sales order of platform_b. */
export function translateContract(
  record: JsonObject,
  variant: string | null,
  inherited: string,
  known: KnownRecords,
): Translated {
  const isPurchase = variant === 'PurchaseOrderContract';
  const taken = new Taken();
  const {
    number,
    title,
    description,
    status,
    contract_date,
    contract_start_date,
    contract_estimated_completion_date,
    actual_completion_date,
    execution_date,
    issued_on_date,
    signed_contract_received_date,
    returned_date,
    letter_of_intent_date,
    approval_letter_date,
    executed,
    private: isPrivate,
    grand_total,
    approved_change_orders,
    pending_change_orders,
    draft_change_orders_amount,
    revised_contract,
    total_requisitions_amount,
    total_payments,
    remaining_balance_outstanding,
    percentage_paid,
    retainage_percent,
    currency_configuration,
    line_items,
    ...fields
  } = record;
  const { currency_iso_code, ...configuration } = objectAt(currency_configuration) ?? {};
  const { currency, namesCurrency } = currencyOf(currency_iso_code, inherited);
  const { data } = taken;

  data['kind'] = isPurchase ? 'purchase_order' : 'work_order';
  readText(taken, 'number', number, 'number');
  readText(taken, 'title', title, 'title');
  readText(taken, 'description', description, 'description');
  readWord(taken, 'status', status, isPurchase ? statusesOfPurchaseOrders : statusesOfWorkOrders, 'status');
  readDate(taken, 'contract_date', contract_date, 'contract_date');
  readDate(taken, 'start_date', contract_start_date, 'contract_start_date');
  readDate(
    taken,
    'completion_date',
    contract_estimated_completion_date,
    'contract_estimated_completion_date',
  );
  readDate(taken, 'actual_completion_date', actual_completion_date, 'actual_completion_date');
  readDate(taken, 'executed_on', execution_date, 'execution_date');
  readDate(taken, 'issued_on', issued_on_date, 'issued_on_date');
  readDate(taken, 'signed_received_on', signed_contract_received_date, 'signed_contract_received_date');
  readDate(taken, 'returned_on', returned_date, 'returned_date');
  readDate(taken, 'letter_of_intent_on', letter_of_intent_date, 'letter_of_intent_date');
  readDate(taken, 'approval_letter_on', approval_letter_date, 'approval_letter_date');
  readTruth(taken, 'executed', executed, 'executed');
  readTruth(taken, 'private', isPrivate, 'private');
  readMoney(taken, 'amount', grand_total, currency, 'grand_total');
  readMoney(taken, 'approved_changes', approved_change_orders, currency, 'approved_change_orders');
  readMoney(taken, 'pending_changes', pending_change_orders, currency, 'pending_change_orders');
  readMoney(taken, 'draft_changes', draft_change_orders_amount, currency, 'draft_change_orders_amount');
  readMoney(taken, 'revised_amount', revised_contract, currency, 'revised_contract');
  readMoney(taken, 'invoiced_amount', total_requisitions_amount, currency, 'total_requisitions_amount');
  readMoney(taken, 'paid_amount', total_payments, currency, 'total_payments');
  readMoney(taken, 'balance', remaining_balance_outstanding, currency, 'remaining_balance_outstanding');
  readPercent(taken, 'percent_paid', percentage_paid, 'percentage_paid');
  readPercent(taken, 'retainage_percent', retainage_percent, 'retainage_percent');
  readCurrency(taken, currency_iso_code, currency, 'currency_configuration.currency_iso_code');
  readInstant(taken, 'created_at', fields['created_at'], 'created_at');
  readInstant(taken, 'updated_at', fields['updated_at'], 'updated_at');
  const lines = readLines(taken, line_items, currency);
  const project = namedById('project', idAt(taken, fields['project'], 'project.id'), 'project.id');
  const customer = namedById('customer', idAt(taken, fields['vendor'], 'vendor.id'), 'vendor.id');
  const rest: Record<string, JsonValue> = fields;
  keep(rest, 'currency_configuration', currency_configuration, configuration);
  if (lines !== undefined) data['lines'] = lines.lines;
  else if (line_items !== undefined) rest['line_items'] = line_items;

  const written = new Written();
  writeCode(written, 'externalDocumentNumber', data['number'], 'number', 35);
  writeWord(written, 'status', data['status'], statusesOfB);
  writeKey(written, 'shortcutDimension1Code', targetOf(project, known), 20, true);
  writeId(written, 'customerId', targetOf(customer, known));
  writeDate(written, 'orderDate', data['contract_date']);
  writeDate(written, 'requestedDeliveryDate', data['completion_date']);
  writeMoney(written, 'totalAmountExcludingTax', data['amount'], 'amount', currency);
  if (data['currency'] !== undefined) written.payload['currencyCode'] = data['currency'] ?? '';
  if (lines !== undefined) writeLines(written, lines.lines, currency);

  return translated(
    taken,
    rest,
    lines && { line_items: lines.rests },
    {
      nativeId: readId(taken, fields['id'], 'id') ?? undefined,
      references: { ...(project && { project_id: project }), ...(customer && { customer_id: customer }) },
      currency,
      namesCurrency,
    },
    written,
  );
}

function idAt(taken: Taken, value: JsonValue | undefined, path: string): string | null | undefined {
  return readId(taken, objectAt(value)?.['id'], path);
}
