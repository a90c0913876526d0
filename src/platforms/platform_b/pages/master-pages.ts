import { page, readOnly, writable } from './page';

/** Jobs. Two of their fields are writable. */
export const projects = page(
  'projects',
  readOnly('guid', 'id'),
  writable('code', 'number'),
  writable('text', 'displayName'),
  readOnly('time', 'lastModifiedDateTime'),
);

export const customers = page(
  'customers',
  readOnly('guid', 'id'),
  writable('code', 'number'),
  writable('text', 'displayName'),
  writable('word', 'type'),
  writable('text', 'addressLine1', 'addressLine2', 'city', 'state'),
  writable('code', 'country'),
  writable('text', 'postalCode', 'phoneNumber', 'email', 'website'),
  writable('code', 'salespersonCode'),
  readOnly('decimal', 'balanceDue'),
  writable('decimal', 'creditLimit'),
  writable('boolean', 'taxLiable'),
  writable('guid', 'taxAreaId'),
  readOnly('text', 'taxAreaDisplayName'),
  writable('text', 'taxRegistrationNumber'),
  writable('guid', 'currencyId'),
  writable('code', 'currencyCode'),
  writable('guid', 'paymentTermsId', 'shipmentMethodId', 'paymentMethodId'),
  writable('word', 'blocked'),
  readOnly('time', 'lastModifiedDateTime'),
);

/** Unposted receipts. Only a custom page has the currency field. */
export const customerPayments = page(
  'customerPayments',
  readOnly('guid', 'id', 'journalId'),
  readOnly('code', 'journalDisplayName'),
  writable('integer', 'lineNumber'),
  writable('guid', 'customerId'),
  writable('code', 'customerNumber'),
  writable('date', 'postingDate'),
  writable('code', 'documentNumber', 'externalDocumentNumber'),
  writable('decimal', 'amount'),
  writable('code', 'currencyCode'),
  writable('guid', 'appliesToInvoiceId'),
  writable('code', 'appliesToInvoiceNumber'),
  writable('text', 'description', 'comment'),
  readOnly('time', 'lastModifiedDateTime'),
);
