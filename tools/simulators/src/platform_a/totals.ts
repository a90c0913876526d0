import { isJsonArray, isJsonObject, ownMember, minus, negated, plus, type JsonObject } from '@app/mapper';
import { amountOf, amountText, percentText } from './amounts';

/** The objects in a list of a record. */
export function objectsIn(record: JsonObject, member: string): readonly JsonObject[] {
  const list = ownMember(record, member);
  return isJsonArray(list) ? list.filter(isJsonObject) : [];
}

/** A contract with the totals of its lines, its change orders and its payments. */
export function withContractTotals(contract: JsonObject): JsonObject {
  const lines = objectsIn(contract, 'line_items');
  const total = plus(...lines.map((line) => amountOf(line['amount'])));
  const revised = plus(total, amountOf(contract['approved_change_orders']));
  const paid = amountOf(contract['total_payments']);
  return {
    ...contract,
    grand_total: amountText(total),
    revised_contract: amountText(revised),
    pending_revised_contract: amountText(plus(revised, amountOf(contract['pending_change_orders']))),
    remaining_balance_outstanding: amountText(minus(revised, paid)),
    percentage_paid: percentText(paid, revised, 3),
  };
}

/** An item of an invoice with its derived figures. */
export function withItemTotals(item: JsonObject): JsonObject {
  const total = plus(
    amountOf(item['work_completed_from_previous_application']),
    amountOf(item['work_completed_this_period']),
    amountOf(item['materials_presently_stored']),
  );
  return {
    ...item,
    total_completed_and_stored_to_date: amountText(total),
    total_completed_and_stored_to_date_percent: percentText(total, amountOf(item['scheduled_value']), 2),
  };
}

/**
 * An invoice with the summary of its items and its contract. The amounts of earlier certificates and the tax stay.
 */
export function withSummary(requisition: JsonObject, contract: JsonObject | undefined): JsonObject {
  const before = objectAt(requisition, 'summary');
  const items = objectsIn(requisition, 'items');
  const of = (member: string) => plus(...items.map((item) => amountOf(item[member])));
  const contractSum =
    contract === undefined
      ? amountOf(before['contract_sum_to_date'])
      : amountOf(contract['revised_contract']);
  const completed = of('total_completed_and_stored_to_date');
  const retainedWork = plus(
    of('work_completed_retainage_from_previous_application'),
    of('work_completed_retainage_retained_this_period'),
    negated(of('work_completed_retainage_released_this_period')),
  );
  const retainedMaterials = of('materials_stored_retainage_currently_retained');
  const retained = plus(retainedWork, retainedMaterials);
  const earned = minus(completed, retained);
  const due = plus(
    earned,
    negated(amountOf(before['less_previous_certificates_for_payment'])),
    amountOf(before['tax_applicable_to_this_payment']),
  );
  const sums: JsonObject =
    contract === undefined
      ? {}
      : {
          original_contract_sum: contract['grand_total'] ?? '0.0',
          net_change_by_change_orders: contract['approved_change_orders'] ?? '0.0',
          contract_sum_to_date: contract['revised_contract'] ?? '0.0',
        };
  return {
    ...requisition,
    percent_complete: percentText(completed, contractSum, 2),
    total_claimed_amount: amountText(of('work_completed_this_period')),
    summary: {
      ...before,
      ...sums,
      total_completed_and_stored_to_date: amountText(completed),
      completed_work_retainage_amount: amountText(retainedWork),
      stored_materials_retainage_amount: amountText(retainedMaterials),
      total_retainage: amountText(retained),
      total_earned_less_retainage: amountText(earned),
      current_payment_due: amountText(due),
      balance_to_finish_including_retainage: amountText(minus(contractSum, earned)),
    },
  };
}

/** The amount due of a requisition. */
export function dueOf(requisition: JsonObject): ReturnType<typeof amountOf> {
  return amountOf(objectAt(requisition, 'summary')['current_payment_due']);
}

/** The object in a field; empty if there is none. */
export function objectAt(record: JsonObject, member: string): JsonObject {
  const value = ownMember(record, member);
  return isJsonObject(value) ? value : {};
}
