import jsonata from 'jsonata';
import type { PortfolioRecord } from '@app/behaviour';
import type { MappedType } from '../portfolio/mapped-records';
import type { KnownRecords } from './hand-written/translated';

/** The mapping of a type as JSONata expressions: to canonical form, and from there to platform_b. */
export function jsonataRival(
  entityType: MappedType,
  known: KnownRecords,
): (record: PortfolioRecord) => Promise<unknown> {
  const expression = jsonata(`(${common}${expressions[entityType]})`);
  const bindings = { known: Object.fromEntries(known) };
  return ({ payload }) => expression.evaluate(payload, bindings);
}

const common = `
  $cents := function($text) { $exists($text) ? $text = null ? null : $round($number($text) * 100) };
  $units := function($cents) { $exists($cents) ? $cents = null ? 0 : $cents / 100 };
  $day := function($date) { $exists($date) ? $date = null ? "0001-01-01" : $date };
  $text := function($value) { $exists($value) ? $value = null ? "" : $value };
  $code := function($value) { $uppercase($replace($value, /^\\s+|\\s+$/, "")) };
  $of := function($type, $id) { $lookup($known, $type & " " & $id) };
`;

const expressions: Readonly<Record<MappedType, string>> = {
  invoice: `
    $canonical := {
      "number": invoice_number,
      "status": $lookup({
        "draft": "draft", "under_review": "in_review", "revise_and_resubmit": "revise_and_resubmit",
        "pending_owner_approval": "pending_owner_approval", "approved": "approved",
        "approved_as_noted": "approved_as_noted"
      }, status),
      "contract_id": commitment_id, "project_id": project_id, "customer_id": vendor_id,
      "invoice_date": billing_date, "due_date": due_date, "period_start": requisition_start,
      "period_end": requisition_end, "submitted_on": submitted_at, "paid_on": payment_date,
      "amount": $cents(summary.current_payment_due),
      "tax_amount": $cents(summary.tax_applicable_to_this_payment),
      "claimed_amount": $cents(total_claimed_amount),
      "retainage_amount": $cents(summary.total_retainage),
      "percent_complete": percent_complete, "final": final, "kind": invoice_type,
      "currency": currency_configuration.currency_iso_code
    };
    $canonical.{
      "externalDocumentNumber": $code(number),
      "status": $lookup({
        "draft": "Draft", "in_review": "In_x0020_Review", "revise_and_resubmit": "Draft",
        "pending_owner_approval": "In_x0020_Review", "approved": "Open", "approved_as_noted": "Open"
      }, status),
      "orderId": $of("contract", contract_id).id,
      "customerPurchaseOrderReference": $of("contract", contract_id).key,
      "shortcutDimension1Code": $of("project", project_id).key,
      "customerId": $of("customer", customer_id).id,
      "invoiceDate": $day(invoice_date), "dueDate": $day(due_date),
      "totalAmountIncludingTax": $units(amount), "totalTaxAmount": $units(tax_amount),
      "totalAmountExcludingTax": $units(amount - tax_amount), "currencyCode": currency
    }`,
  payment: `
    $canonical := {
      "amount": $cents(amount), "status": $lowercase($trim(status)), "date": date,
      "check_number": check_number, "invoice_number": invoice_number, "invoice_id": requisition_id,
      "contract_id": contract_id, "project_id": project_id, "notes": notes
    };
    $canonical.{
      "amount": -$units(amount), "currencyCode": "USD", "postingDate": $day(date),
      "externalDocumentNumber": $text(check_number = null ? null : $code(check_number)),
      "appliesToInvoiceId": $exists(invoice_id) ? invoice_id = null ? "00000000-0000-0000-0000-000000000000" : $of("invoice", invoice_id).id,
      "comment": $text(notes)
    }`,
  contract: `
    $canonical := {
      "number": number, "title": title, "description": description,
      "status": $lookup({
        "Draft": "draft", "Out For Bid": "out_for_bid", "Out For Signature": "pending_approval",
        "Approved": "approved", "Complete": "completed", "Terminated": "terminated", "Void": "void",
        "Processing": "processing", "Submitted": "pending_approval", "Partially Received": "in_progress",
        "Received": "completed", "Closed": "closed"
      }, status),
      "project_id": project.id, "customer_id": vendor.id,
      "contract_date": contract_date, "start_date": contract_start_date,
      "completion_date": contract_estimated_completion_date, "executed_on": execution_date,
      "amount": $cents(grand_total), "approved_changes": $cents(approved_change_orders),
      "revised_amount": $cents(revised_contract), "paid_amount": $cents(total_payments),
      "balance": $cents(remaining_balance_outstanding),
      "currency": currency_configuration.currency_iso_code,
      "lines": [line_items.{
        "position": position, "description": description, "quantity": $number(quantity),
        "unit_price": $number(unit_cost), "uom": uom, "amount": $cents(amount), "budget_code": wbs_code.flat_code
      }]
    };
    $canonical.{
      "externalDocumentNumber": $code(number),
      "status": $lookup({
        "draft": "Draft", "out_for_bid": "Draft", "pending_approval": "In_x0020_Review",
        "processing": "In_x0020_Review", "approved": "Open", "in_progress": "Open"
      }, status),
      "shortcutDimension1Code": $of("project", project_id).key,
      "customerId": $of("customer", customer_id).id,
      "orderDate": $day(contract_date), "requestedDeliveryDate": $day(completion_date),
      "totalAmountExcludingTax": $units(amount), "currencyCode": currency,
      "salesOrderLines": [lines.{
        "sequence": position * 10000, "description": description, "quantity": quantity,
        "unitPrice": unit_price, "unitOfMeasureCode": $code(uom),
        "netAmount": $units(amount), "lineObjectNumber": $code(budget_code)
      }]
    }`,
};
