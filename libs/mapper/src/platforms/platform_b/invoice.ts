import { invoice as fields } from '../../canonical/types';
import { absent, at, folded, linesAt, own, reference } from '../../mapping/binding';
import { Mapping } from '../../mapping/mapping';
import { code, currency, date, idIn, keyIn, money, text, timestamp, enumeration } from './codecs';
import { documentLine } from './document';
import { everyResource } from './every-resource';
import { salesInvoices } from './resources/invoice';

/**
 * A sales invoice. The supplier's number is the external document number: the invoice's own changes when it is posted.
 * Its order is named only after posting; until then the customer's purchase order reference holds the contract number.
 */
export const invoice = Mapping.define<typeof fields>(
  'invoice',
  salesInvoices,
  {
    number: at('externalDocumentNumber', code(35)),
    sequence: absent,
    status: folded(
      'status',
      enumeration({
        draft: 'Draft',
        in_review: 'In_x0020_Review',
        revise_and_resubmit: 'Draft',
        pending_owner_approval: 'In_x0020_Review',
        approved: 'Open',
        approved_as_noted: 'Open',
        paid: 'Paid',
        canceled: 'Canceled',
        corrective: 'Corrective',
      }),
    ),
    contract_id: reference(idIn('orderId'), keyIn('customerPurchaseOrderReference', text(35))),
    project_id: reference(keyIn('shortcutDimension1Code', code(20))),
    customer_id: reference(idIn('customerId')),
    invoice_date: at('invoiceDate', date),
    posting_date: at('postingDate', date),
    due_date: at('dueDate', date),
    period_start: absent,
    period_end: absent,
    submitted_on: absent,
    paid_on: absent,
    amount: at('totalAmountIncludingTax', money),
    tax_amount: at('totalTaxAmount', money),
    net_amount: at('totalAmountExcludingTax', money),
    claimed_amount: absent,
    remaining_amount: at('remainingAmount', money),
    retainage_amount: absent,
    retainage_percent: absent,
    percent_complete: absent,
    discount_amount: at('discountAmount', money),
    final: absent,
    kind: absent,
    currency: at('currencyCode', currency),
    lines: linesAt('salesInvoiceLines', documentLine),
    created_at: absent,
    updated_at: own('lastModifiedDateTime', timestamp),
  },
  {
    ...everyResource,
    currency: 'currencyCode',
    shownOf: { contract_id: ['orderNumber'], customer_id: ['customerNumber', 'customerName'] },
    computed: {
      amount: ['totalAmountExcludingTax', 'totalTaxAmount', 'remainingAmount', 'salesInvoiceLines'],
      net_amount: ['salesInvoiceLines'],
    },
  },
);
