import { contract as fields } from '../../canonical/types';
import { absent, at, folded, linesAt, own, reference } from '../../mapping/binding';
import { Mapping } from '../../mapping/mapping';
import { code, currency, date, idIn, keyIn, money, timestamp, enumeration } from './codecs';
import { documentLine } from './document';
import { everyResource } from './every-resource';
import { salesOrders } from './resources/contract';

/**
 * A sales order. Its contract number is the external document number; its own number comes from a series. It has no
 * title, and no action sets its status.
 */
export const contract = Mapping.define<typeof fields>(
  'contract',
  salesOrders,
  {
    kind: absent,
    number: at('externalDocumentNumber', code(35)),
    title: absent,
    description: absent,
    status: folded(
      'status',
      enumeration({
        draft: 'Draft',
        out_for_bid: 'Draft',
        pending_approval: 'In_x0020_Review',
        processing: 'In_x0020_Review',
        approved: 'Open',
        in_progress: 'Open',
        completed: null,
        closed: null,
        terminated: null,
        void: null,
      }),
    ),
    project_id: reference(keyIn('shortcutDimension1Code', code(20))),
    customer_id: reference(idIn('customerId')),
    contract_date: at('orderDate', date),
    start_date: absent,
    completion_date: at('requestedDeliveryDate', date),
    actual_completion_date: absent,
    executed_on: absent,
    issued_on: absent,
    signed_received_on: absent,
    returned_on: absent,
    letter_of_intent_on: absent,
    approval_letter_on: absent,
    executed: absent,
    private: absent,
    amount: at('totalAmountExcludingTax', money),
    approved_changes: absent,
    pending_changes: absent,
    draft_changes: absent,
    revised_amount: absent,
    tax_amount: at('totalTaxAmount', money),
    total_with_tax: at('totalAmountIncludingTax', money),
    invoiced_amount: absent,
    paid_amount: absent,
    balance: absent,
    percent_paid: absent,
    retainage_percent: absent,
    discount_amount: at('discountAmount', money),
    currency: at('currencyCode', currency),
    lines: linesAt('salesOrderLines', documentLine),
    created_at: absent,
    updated_at: own('lastModifiedDateTime', timestamp),
  },
  {
    ...everyResource,
    currency: 'currencyCode',
    shownOf: { customer_id: ['customerNumber', 'customerName'] },
    computed: { amount: ['totalTaxAmount', 'totalAmountIncludingTax', 'salesOrderLines'] },
  },
);
