import { isJsonArray, isJsonObject, ownMember, type JsonObject } from '@app/mapper';
import { amountText, decimalOf, minus, percentText, sum } from './amounts';

/** The objects in a list of a record. */
export function objectsIn(record: JsonObject, member: string): readonly JsonObject[] {
  const list = ownMember(record, member);
  return isJsonArray(list) ? list.filter(isJsonObject) : [];
}

/** A contract with what follows from its lines, its change orders and what was paid. */
export function withContractTotals(contract: JsonObject): JsonObject {
  const lines = objectsIn(contract, 'line_items');
  const total = sum(...lines.map((line) => decimalOf(line['amount'])));
  const revised = sum(total, decimalOf(contract['approved_change_orders']));
  const paid = decimalOf(contract['total_payments']);
  return {
    ...contract,
    grand_total: amountText(total),
    revised_contract: amountText(revised),
    pending_revised_contract: amountText(sum(revised, decimalOf(contract['pending_change_orders']))),
    remaining_balance_outstanding: amountText(sum(revised, minus(paid))),
    percentage_paid: percentText(paid, revised, 3),
  };
}

/** An item of an invoice with what follows from its figures. */
export function withItemTotals(item: JsonObject): JsonObject {
  const total = sum(
    decimalOf(item['work_completed_from_previous_application']),
    decimalOf(item['work_completed_this_period']),
    decimalOf(item['materials_presently_stored']),
  );
  return {
    ...item,
    total_completed_and_stored_to_date: amountText(total),
    total_completed_and_stored_to_date_percent: percentText(total, decimalOf(item['scheduled_value']), 2),
  };
}

/**
 * An invoice with the summary that follows from its items and the contract that it is for. What earlier certificates
 * have paid, and tax, are as they were.
 */
export function withSummary(requisition: JsonObject, contract: JsonObject | undefined): JsonObject {
  const before = objectAt(requisition, 'summary');
  const items = objectsIn(requisition, 'items');
  const of = (member: string) => sum(...items.map((item) => decimalOf(item[member])));
  const contractSum =
    contract === undefined
      ? decimalOf(before['contract_sum_to_date'])
      : decimalOf(contract['revised_contract']);
  const completed = of('total_completed_and_stored_to_date');
  const retainedWork = sum(
    of('work_completed_retainage_from_previous_application'),
    of('work_completed_retainage_retained_this_period'),
    minus(of('work_completed_retainage_released_this_period')),
  );
  const retainedMaterials = of('materials_stored_retainage_currently_retained');
  const retained = sum(retainedWork, retainedMaterials);
  const earned = sum(completed, minus(retained));
  const due = sum(
    earned,
    minus(decimalOf(before['less_previous_certificates_for_payment'])),
    decimalOf(before['tax_applicable_to_this_payment']),
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
      balance_to_finish_including_retainage: amountText(sum(contractSum, minus(earned))),
    },
  };
}

/** The amount that a requisition asks for. */
export function dueOf(requisition: JsonObject): ReturnType<typeof decimalOf> {
  return decimalOf(objectAt(requisition, 'summary')['current_payment_due']);
}

/** An object in a field; an empty one when there is none. */
export function objectAt(record: JsonObject, member: string): JsonObject {
  const value = ownMember(record, member);
  return isJsonObject(value) ? value : {};
}
