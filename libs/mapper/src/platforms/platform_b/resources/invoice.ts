import { fields, freeWhen, lockedWhen, never } from '../../../resource/native-field';
import { COMPUTED, ownId, page } from './common';
import {
  amounts,
  computedInLines,
  currencyCode,
  currencyId,
  dimensions,
  documentEnd,
  documentNumber,
  parties,
} from './document';

/** Invoices. Drafts and posted invoices are in one entity set. */
export const salesInvoices = page({
  name: 'salesInvoices',
  documentWord: 'Invoice',
  lines: 'salesInvoiceLines',
  computedInLines,
  requiredToCreate: ['customerId'],
  lockWords: 'The invoice has been posted and can no longer be modified.',
  fields: [
    ownId,
    documentNumber,
    fields('code', 'externalDocumentNumber'),
    fields('date', 'invoiceDate', 'postingDate'),
    freeWhen('posted', fields('date', 'dueDate', 'promisedPayDate')),
    fields('text', 'customerPurchaseOrderReference'),
    parties,
    currencyId,
    dimensions,
    currencyCode,
    never(
      'names the order that the invoice was posted from',
      fields('guid', 'orderId'),
      fields('code', 'orderNumber'),
    ),
    fields('guid', 'paymentTermsId'),
    lockedWhen('released', fields('guid', 'shipmentMethodId')),
    fields('code', 'salesperson'),
    freeWhen('posted', fields('guid', 'disputeStatusId'), fields('code', 'disputeStatus')),
    lockedWhen('released', never('is fixed by the platform', fields('boolean', 'pricesIncludeTax'))),
    never(COMPUTED, fields('decimal', 'remainingAmount')),
    amounts('totalAmountIncludingTax'),
    documentEnd,
  ],
});
