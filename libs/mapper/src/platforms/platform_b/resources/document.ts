import {
  fields,
  lockedWhen,
  never,
  throughLines,
  withheld,
  withheldAfterCreation,
} from '../../../resource/native-field';
import { COMPUTED, lastModified } from './common';

// Fields that orders, invoices and quotes have alike, in the order of their pages.

export const documentNumber = never('comes from a number series', fields('code', 'number'));

const OF_CUSTOMER = "follows from the customer's key";
const BILL_TO = 'is shown of the customer that is billed';

export const parties = [
  ...lockedWhen('released', fields('guid', 'customerId')),
  ...lockedWhen('released', withheld(OF_CUSTOMER, fields('code', 'customerNumber'))),
  ...never(OF_CUSTOMER, fields('text', 'customerName')),
  ...never(BILL_TO, fields('text', 'billToName')),
  ...lockedWhen('released', fields('guid', 'billToCustomerId'), fields('code', 'billToCustomerNumber')),
  ...fields('text', 'shipToName', 'shipToContact'),
  ...fields('text', 'sellToAddressLine1', 'sellToAddressLine2', 'sellToCity'),
  ...fields('code', 'sellToCountry'),
  ...fields('text', 'sellToState', 'sellToPostCode'),
  ...never(
    BILL_TO,
    fields('text', 'billToAddressLine1', 'billToAddressLine2', 'billToCity'),
    fields('code', 'billToCountry'),
    fields('text', 'billToState', 'billToPostCode'),
  ),
  ...fields('text', 'shipToAddressLine1', 'shipToAddressLine2', 'shipToCity'),
  ...fields('code', 'shipToCountry'),
  ...fields('text', 'shipToState', 'shipToPostCode'),
];

export const dimensions = fields('code', 'shortcutDimension1Code', 'shortcutDimension2Code');

const CURRENCY = 'gives each amount of the document another meaning';

export const currencyId = lockedWhen(
  'released',
  withheld('follows from the currency code', fields('guid', 'currencyId')),
);

/** Of a document with amounts. */
export const currencyCode = lockedWhen(
  'released',
  withheldAfterCreation(CURRENCY, fields('code', 'currencyCode')),
);

const allTotals = ['totalAmountExcludingTax', 'totalTaxAmount', 'totalAmountIncludingTax'] as const;

/** Discount and totals. A change of the amount names one of the totals, and goes through the only line. */
export function amounts(total: 'totalAmountExcludingTax' | 'totalAmountIncludingTax') {
  return [
    ...fields('decimal', 'discountAmount'),
    ...never(COMPUTED, fields('boolean', 'discountAppliedBeforeTax')),
    ...allTotals.flatMap((name) =>
      name === total ? throughLines(name) : never(COMPUTED, fields('decimal', name)),
    ),
  ];
}

/** What the platform computes in the lines of orders, invoices and quotes. */
export const computedInLines = [
  'discountAppliedBeforeTax',
  'amountExcludingTax',
  'taxPercent',
  'totalTaxAmount',
  'amountIncludingTax',
  'invoiceDiscountAllocation',
  'netAmount',
  'netTaxAmount',
  'netAmountIncludingTax',
  'shippedQuantity',
  'invoicedQuantity',
];

export const documentEnd = [
  ...never('is moved by actions of the platform', fields('word', 'status')),
  ...lastModified,
  ...fields('text', 'phoneNumber', 'email'),
];
