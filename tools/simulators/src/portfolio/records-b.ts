import type { JsonObject, StoredEntityType } from '@app/mapper';
import { behaviourOf, type PortfolioRecord } from '@app/behaviour';
import {
  dueOfInvoice,
  type Contract,
  type Customer,
  type Invoice,
  type Payment,
  type Things,
} from './things';
import { dateOf } from './times';

/** Riyals per dollar. Amounts are multiples of 25 dollars, so none needs rounding. */
const RIYALS = 3.64;
const CURRENCY = 'QAR';
const NO_GUID = '00000000-0000-0000-0000-000000000000';

interface WritingOfB {
  readonly things: Things;
  readonly now: Date;
}

/** The records of platform_b. */
export function recordsOfB(writing: WritingOfB): PortfolioRecord[] {
  const { things } = writing;
  return [
    ...records('project', things.projects, ({ index, key, name }) => ({
      ...blank('project', index, writing),
      number: key,
      displayName: name,
    })),
    ...records('customer', things.customers, (customer) => customerRecord(customer, writing)),
    ...records('contract', things.contracts, (contract) => orderRecord(contract, writing)),
    ...records('invoice', things.invoices, (invoice) => invoiceRecord(invoice, writing)),
    ...records('payment', things.payments, (payment) => paymentRecord(payment, writing)),
  ];
}

function records<Made extends { readonly side: string }>(
  entityType: StoredEntityType,
  things: readonly Made[],
  write: (thing: Made) => JsonObject,
): PortfolioRecord[] {
  return things
    .filter(({ side }) => side !== 'platform_a')
    .map((thing) => ({ entityType, variant: null, payload: write(thing) }));
}

function customerRecord(customer: Customer, writing: WritingOfB): JsonObject {
  return {
    ...blank('customer', customer.index, writing),
    number: numberOf(customer),
    displayName: customer.name,
    city: 'Doha',
    country: 'QA',
    email: `accounts${customer.index + 1}@vendors.example`,
    taxRegistrationNumber: customer.key,
    currencyCode: CURRENCY,
    blocked: customer.active ? '_x0020_' : 'All',
  };
}

function numberOf({ index }: Customer): string {
  return `C${String(index + 1).padStart(6, '0')}`;
}

function orderRecord(contract: Contract, writing: WritingOfB): JsonObject {
  const order = blank('contract', contract.index, writing);
  const amounts = contract.lines.map(inRiyals);
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  return {
    ...order,
    ...partyOf(contract.customer),
    number: orderNumberOf(contract),
    externalDocumentNumber: contract.key,
    orderDate: dateOf(writing, contract.index, 500),
    postingDate: dateOf(writing, contract.index, 500),
    shortcutDimension1Code: contract.project.key,
    totalAmountExcludingTax: total,
    totalAmountIncludingTax: total,
    status: contract.approved ? 'Open' : 'Draft',
    salesOrderLines: amounts.map((amount, place) =>
      lineRecord('contract', contract.index, place, `${contract.title}, part ${place + 1}`, amount),
    ),
  };
}

function orderNumberOf({ index }: Contract): string {
  return `S-ORD${String(index + 1).padStart(7, '0')}`;
}

function invoiceRecord(invoice: Invoice, writing: WritingOfB): JsonObject {
  const { contract } = invoice;
  const total = inRiyals(dueOfInvoice(invoice));
  return {
    ...blank('invoice', invoice.index, writing),
    ...partyOf(invoice.customer),
    number: invoiceNumberOf(invoice),
    externalDocumentNumber: invoice.key,
    invoiceDate: dateOf(writing, invoice.index, 300),
    postingDate: dateOf(writing, invoice.index, 300),
    dueDate: dateOf(writing, invoice.index, 270),
    customerPurchaseOrderReference: contract.key,
    shortcutDimension1Code: contract.project.key,
    orderId: guidOf('contract', contract.index),
    orderNumber: orderNumberOf(contract),
    totalAmountExcludingTax: total,
    totalAmountIncludingTax: total,
    remainingAmount: total,
    status: invoice.approved ? 'Open' : 'Draft',
    salesInvoiceLines: [
      lineRecord('invoice', invoice.index, 0, `Progress certificate ${invoice.sequence}`, total),
    ],
  };
}

function invoiceNumberOf({ index }: Invoice): string {
  return `PS-INV${String(index + 1).padStart(7, '0')}`;
}

function paymentRecord(payment: Payment, writing: WritingOfB): JsonObject {
  const { invoice } = payment;
  return {
    ...blank('payment', payment.index, writing),
    lineNumber: 10_000 * (payment.index + 1),
    customerId: guidOf('customer', invoice.customer.index),
    customerNumber: numberOf(invoice.customer),
    postingDate: dateOf(writing, payment.index, 200),
    documentNumber: `G${String(payment.index + 1).padStart(6, '0')}`,
    externalDocumentNumber: payment.key,
    amount: -inRiyals(payment.amount),
    currencyCode: CURRENCY,
    appliesToInvoiceId: guidOf('invoice', invoice.index),
    appliesToInvoiceNumber: invoiceNumberOf(invoice),
    description: invoice.customer.name,
    comment: `Payment ${payment.index + 1}`,
  };
}

function partyOf(customer: Customer | undefined): JsonObject {
  if (customer === undefined) return {};
  const id = guidOf('customer', customer.index);
  return {
    customerId: id,
    customerNumber: numberOf(customer),
    customerName: customer.name,
    billToCustomerId: id,
    billToCustomerNumber: numberOf(customer),
    billToName: customer.name,
    shipToName: customer.name,
    currencyCode: CURRENCY,
  };
}

/** The number of lines of a document is below this. */
const MOST_LINES = 10;

function lineRecord(
  of: StoredEntityType,
  index: number,
  place: number,
  description: string,
  amount: number,
): JsonObject {
  return {
    '@odata.etag': etagOf(of, index * MOST_LINES + place + 1),
    id: guidOf(of, index, place + 1),
    documentId: guidOf(of, index),
    sequence: 10_000 * (place + 1),
    itemId: NO_GUID,
    accountId: 'c22ba9a7-589d-4d3d-90ab-0686ed2bbc2a',
    lineType: 'Account',
    lineObjectNumber: '40100',
    description,
    description2: '',
    unitOfMeasureId: '19b7fea5-9b8b-4fa6-a92f-d0a95c97da34',
    unitOfMeasureCode: 'LS',
    quantity: 1,
    unitPrice: amount,
    discountAmount: 0,
    discountPercent: 0,
    discountAppliedBeforeTax: false,
    amountExcludingTax: amount,
    taxCode: '',
    taxPercent: 0,
    totalTaxAmount: 0,
    amountIncludingTax: amount,
    invoiceDiscountAllocation: 0,
    netAmount: amount,
    netTaxAmount: 0,
    netAmountIncludingTax: amount,
  };
}

const blanks = new Map<StoredEntityType, JsonObject>();

// A record as the platform shows it before any field is set, with its own key, etag and time.
function blank(entityType: StoredEntityType, index: number, { now }: WritingOfB): JsonObject {
  let empty = blanks.get(entityType);
  if (empty === undefined) {
    const write = { entityType, variant: null, current: undefined, changes: [], referred: {} };
    empty = behaviourOf('platform_b').write(write, {
      now: new Date(0),
      integer: (least) => least,
      guid: () => NO_GUID,
    });
    blanks.set(entityType, empty);
  }
  const modified = now.getTime() - ((index * 40_503) % 20_000_000) * 1000 - 3_600_000;
  return {
    ...empty,
    '@odata.etag': etagOf(entityType, index),
    id: guidOf(entityType, index),
    lastModifiedDateTime: new Date(modified).toISOString(),
  };
}

function etagOf(of: StoredEntityType, index: number): string {
  return `W/"${Buffer.from(`19;${kinds.indexOf(of) + 1}${String(index).padStart(12, '0')};00;`).toString('base64')}"`;
}

const kinds: readonly StoredEntityType[] = ['project', 'customer', 'contract', 'invoice', 'payment'];

function guidOf(of: StoredEntityType, index: number, part = 0): string {
  const kind = (kinds.indexOf(of) + 1).toString(16).padStart(2, '0');
  const place = part.toString(16).padStart(4, '0');
  return `a7${kind}b0c1-${place}-4000-8000-${(index + 1).toString(16).padStart(12, '0')}`;
}

function inRiyals(dollars: number): number {
  // Computed in hundredths, to avoid fractions of a double.
  return Math.round(dollars * RIYALS * 100) / 100;
}
