import { page, readOnly, writable, type DocumentPage } from './page';

const parties = [
  writable('guid', 'customerId'),
  writable('code', 'customerNumber'),
  readOnly('text', 'customerName', 'billToName'),
  writable('guid', 'billToCustomerId'),
  writable('code', 'billToCustomerNumber'),
  writable('text', 'shipToName', 'shipToContact'),
  writable('text', 'sellToAddressLine1', 'sellToAddressLine2', 'sellToCity'),
  writable('code', 'sellToCountry'),
  writable('text', 'sellToState', 'sellToPostCode'),
  readOnly('text', 'billToAddressLine1', 'billToAddressLine2', 'billToCity'),
  readOnly('code', 'billToCountry'),
  readOnly('text', 'billToState', 'billToPostCode'),
  writable('text', 'shipToAddressLine1', 'shipToAddressLine2', 'shipToCity'),
  writable('code', 'shipToCountry'),
  writable('text', 'shipToState', 'shipToPostCode'),
];

const dimensions = writable('code', 'shortcutDimension1Code', 'shortcutDimension2Code');

const amounts = [
  writable('decimal', 'discountAmount'),
  readOnly('boolean', 'discountAppliedBeforeTax'),
  readOnly('decimal', 'totalAmountExcludingTax', 'totalTaxAmount', 'totalAmountIncludingTax'),
];

const end = [
  readOnly('word', 'status'),
  readOnly('time', 'lastModifiedDateTime'),
  writable('text', 'phoneNumber', 'email'),
];

/** Orders. The platform does not mark `fullyShipped` as read-only, but this service never writes it. */
export const salesOrders: DocumentPage = {
  ...page(
    'salesOrders',
    readOnly('guid', 'id'),
    readOnly('code', 'number'),
    writable('code', 'externalDocumentNumber'),
    writable('date', 'orderDate', 'postingDate'),
    ...parties,
    dimensions,
    writable('guid', 'currencyId'),
    writable('code', 'currencyCode'),
    writable('boolean', 'pricesIncludeTax'),
    writable('guid', 'paymentTermsId', 'shipmentMethodId'),
    writable('code', 'salesperson'),
    writable('boolean', 'partialShipping'),
    writable('date', 'requestedDeliveryDate'),
    ...amounts,
    readOnly('boolean', 'fullyShipped'),
    ...end,
  ),
  lines: 'salesOrderLines',
  total: 'totalAmountExcludingTax',
  word: 'Order',
};

/** Invoices. Drafts and posted invoices are in one entity set. */
export const salesInvoices: DocumentPage = {
  ...page(
    'salesInvoices',
    readOnly('guid', 'id'),
    readOnly('code', 'number'),
    writable('code', 'externalDocumentNumber'),
    writable('date', 'invoiceDate', 'postingDate', 'dueDate', 'promisedPayDate'),
    writable('text', 'customerPurchaseOrderReference'),
    ...parties,
    writable('guid', 'currencyId'),
    dimensions,
    writable('code', 'currencyCode'),
    readOnly('guid', 'orderId'),
    readOnly('code', 'orderNumber'),
    writable('guid', 'paymentTermsId', 'shipmentMethodId'),
    writable('code', 'salesperson'),
    writable('guid', 'disputeStatusId'),
    writable('code', 'disputeStatus'),
    readOnly('boolean', 'pricesIncludeTax'),
    readOnly('decimal', 'remainingAmount'),
    ...amounts,
    ...end,
  ),
  lines: 'salesInvoiceLines',
  total: 'totalAmountIncludingTax',
  word: 'Invoice',
};
