import { invoice as fields } from '../../canonical/types';
import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '../../json/json-value';
import { absent, at, folded, own, reference } from '../../mapping/binding';
import { booleanCodec, integerCodec } from '../../mapping/codecs/number';
import { enumerationCodec } from '../../mapping/codecs/enumeration';
import { Mapping } from '../../mapping/mapping';
import { isMoney } from '../../money/money';
import { currency, date, idIn, money, percent, text, timestamp } from './codecs';
import { recordId } from './record-id';
import { ownCurrency } from './resources/common';
import { requisitions } from './resources/invoice';

/** A requisition: a subcontractor's invoice for the progress of a period. */
export const invoice = Mapping.define<typeof fields>(
  'invoice',
  requisitions,
  {
    number: at('invoice_number', text),
    sequence: at('number', integerCodec),
    status: folded(
      'status',
      enumerationCodec({
        draft: 'draft',
        in_review: 'under_review',
        revise_and_resubmit: 'revise_and_resubmit',
        pending_owner_approval: 'pending_owner_approval',
        approved: 'approved',
        approved_as_noted: 'approved_as_noted',
        paid: 'approved',
        canceled: null,
        corrective: null,
      }),
    ),
    contract_id: reference(idIn('commitment_id')),
    project_id: reference(idIn('project_id')),
    customer_id: reference(idIn('vendor_id')),
    invoice_date: at('billing_date', date),
    posting_date: absent,
    due_date: at('due_date', date),
    period_start: at('requisition_start', date),
    period_end: at('requisition_end', date),
    submitted_on: at('submitted_at', date),
    paid_on: at('payment_date', date),
    amount: at('summary.current_payment_due', money),
    tax_amount: at('summary.tax_applicable_to_this_payment', money),
    net_amount: absent,
    claimed_amount: at('total_claimed_amount', money),
    remaining_amount: absent,
    retainage_amount: at('summary.total_retainage', money),
    retainage_percent: at('summary.completed_work_retainage_percent', percent),
    percent_complete: at('percent_complete', percent),
    discount_amount: absent,
    final: at('final', booleanCodec),
    kind: at(
      'invoice_type',
      enumerationCodec({
        progress: 'progress',
        retainage_release: 'retainage_release',
        progress_and_retainage_release: 'progress_and_retainage_release',
      }),
    ),
    currency: at(ownCurrency, currency),
    lines: absent,
    created_at: own('created_at', timestamp),
    updated_at: own('updated_at', timestamp),
  },
  {
    id: recordId,
    currency: ownCurrency,
    shownOf: {
      contract_id: ['commitment_type', 'contract_name', 'contract_invoicing_method'],
      customer_id: ['vendor_name'],
    },
    computed: {
      amount: [
        'summary.total_earned_less_retainage',
        'summary.balance_to_finish_including_retainage',
        'payment_summary',
      ],
      currency: ['summary', 'items', 'tax_summary', 'payment_summary'],
    },
    derived: { net_amount: { from: ['amount', 'tax_amount'], value: netAmount } },
  },
);

/** Without tax: the platform shows the payable amount and the tax in it, not the difference. */
function netAmount(data: JsonObject): JsonValue | undefined {
  const amount = ownMember(data, 'amount');
  const tax = ownMember(data, 'tax_amount');
  if (!isJsonObject(amount) || !isJsonObject(tax) || !isMoney(amount) || !isMoney(tax)) return undefined;
  const difference = Number(amount.amount) - Number(tax.amount);
  return Number.isSafeInteger(difference) ? { amount: difference, currency: amount.currency } : undefined;
}
