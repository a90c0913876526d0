import { fields, never, withheld } from '../../../resource/native-field';
import { lastModified, ownId, page } from './common';

const JOURNAL = 'is the journal that the payment was put into';

/** Unposted receipts. Only a custom page has the currency field. */
export const customerPayments = page({
  name: 'customerPayments',
  requiredToCreate: ['amount', 'customerId'],
  fields: [
    ownId,
    never(JOURNAL, fields('guid', 'journalId'), fields('code', 'journalDisplayName')),
    fields('integer', 'lineNumber'),
    fields('guid', 'customerId'),
    withheld("follows from the customer's key", fields('code', 'customerNumber')),
    fields('date', 'postingDate'),
    fields('code', 'documentNumber', 'externalDocumentNumber'),
    // The currency comes first: its decimals are those to which the platform rounds the amount.
    fields('code', 'currencyCode'),
    fields('decimal', 'amount'),
    fields('guid', 'appliesToInvoiceId'),
    withheld("follows from the invoice's key", fields('code', 'appliesToInvoiceNumber')),
    fields('text', 'description', 'comment'),
    lastModified,
  ],
});
