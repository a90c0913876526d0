import {
  boolean,
  code,
  date,
  datetime,
  decimal,
  each,
  guid,
  integer,
  members,
  readOnly,
  text,
  type Field,
} from './field';
import { entitySet, type Part } from './entity-set';

type Named = readonly (readonly [string, Field])[];

const id = ['id', readOnly(guid)] as const;
const modified = ['lastModifiedDateTime', readOnly(datetime)] as const;

const addressParts = ['AddressLine1', 'AddressLine2', 'City', 'Country', 'State', 'PostCode'];
const lengths = [100, 50, 30, 10, 30, 20];

function address(prefix: string, fit: (field: Field) => Field): Named {
  return addressParts.map((part, index) => [
    `${prefix}${part}`,
    fit(part === 'Country' ? code(10) : text(lengths[index] ?? 0)),
  ]);
}

const same = (field: Field): Field => field;

const parties: Named = [
  ['customerId', guid],
  ['customerNumber', code(20)],
  ['customerName', readOnly(text(100))],
  ['billToName', readOnly(text(100))],
  ['billToCustomerId', guid],
  ['billToCustomerNumber', code(20)],
  ['shipToName', text(100)],
  ['shipToContact', text(100)],
  ...address('sellTo', same),
  ...address('billTo', readOnly),
  ...address('shipTo', same),
];

const dimensions = each(['shortcutDimension1Code', 'shortcutDimension2Code'], code(20));
const currencyId = ['currencyId', guid] as const;
const currencyCode = ['currencyCode', code(10)] as const;

const terms: Named = [
  ['paymentTermsId', guid],
  ['shipmentMethodId', guid],
  ['salesperson', code(20)],
];

const discount: Named = [
  ['discountAmount', decimal],
  ['discountAppliedBeforeTax', readOnly(boolean)],
  ...each(['totalAmountExcludingTax', 'totalTaxAmount', 'totalAmountIncludingTax'], readOnly(decimal)),
];

const contact: Named = [
  ['phoneNumber', text(30)],
  ['email', text(80)],
];

const customerPart: Part = { set: 'customers', many: false, ours: 'customerId', theirs: 'id' };
const currencyPart: Part = { set: 'currencies', many: false, ours: 'currencyId', theirs: 'id' };
const linesPart = (set: string): Part => ({ set, many: true, ours: 'id', theirs: 'documentId' });

/** Sales orders: what the project side calls contracts. `fullyShipped` is not marked read-only on the page. */
export const salesOrders = entitySet({
  name: 'salesOrders',
  type: 'salesOrder',
  table: 'salesOrders',
  fields: [
    id,
    ['number', readOnly(code(20))],
    ['externalDocumentNumber', code(35)],
    ['orderDate', date],
    ['postingDate', date],
    ...parties,
    ...dimensions,
    currencyId,
    currencyCode,
    ['pricesIncludeTax', boolean],
    ...terms,
    ['partialShipping', boolean],
    ['requestedDeliveryDate', date],
    ...discount,
    ['fullyShipped', boolean],
    ['status', readOnly(members('Draft', 'In_x0020_Review', 'Open'))],
    modified,
    ...contact,
  ],
  parts: {
    salesOrderLines: linesPart('salesOrderLines'),
    customer: customerPart,
    currency: currencyPart,
  },
});

/** Sales invoices, drafts and posted ones in one set. */
export const salesInvoices = entitySet({
  name: 'salesInvoices',
  type: 'salesInvoice',
  table: 'salesInvoices',
  fields: [
    id,
    ['number', readOnly(code(20))],
    ['externalDocumentNumber', code(35)],
    ...each(['invoiceDate', 'postingDate', 'dueDate', 'promisedPayDate'], date),
    ['customerPurchaseOrderReference', text(35)],
    ...parties,
    currencyId,
    ...dimensions,
    currencyCode,
    ['orderId', readOnly(guid)],
    ['orderNumber', readOnly(code(20))],
    ...terms,
    ['disputeStatusId', guid],
    ['disputeStatus', code(10)],
    ['pricesIncludeTax', readOnly(boolean)],
    ['remainingAmount', readOnly(decimal)],
    ...discount,
    [
      'status',
      readOnly(members('Draft', 'In_x0020_Review', 'Open', 'Paid', 'Canceled', 'Corrective', '_x0020_')),
    ],
    modified,
    ...contact,
  ],
  parts: {
    salesInvoiceLines: linesPart('salesInvoiceLines'),
    customer: customerPart,
    currency: currencyPart,
  },
});

const lineFields: Named = [
  id,
  ['documentId', guid],
  ['sequence', integer],
  ['itemId', guid],
  ['accountId', guid],
  [
    'lineType',
    members(
      'Comment',
      'Account',
      'Item',
      'Resource',
      'Fixed_x0020_Asset',
      'Charge',
      'Allocation_x0020_Account',
    ),
  ],
  ['lineObjectNumber', code(20)],
  ['description', text(100)],
  ['description2', text(50)],
  ['unitOfMeasureId', guid],
  ['unitOfMeasureCode', code(10)],
  ['quantity', decimal],
  ['unitPrice', decimal],
  ['discountAmount', decimal],
  ['discountPercent', decimal],
  ['discountAppliedBeforeTax', readOnly(boolean)],
  ['amountExcludingTax', readOnly(decimal)],
  ['taxCode', code(20)],
  ...each(
    [
      'taxPercent',
      'totalTaxAmount',
      'amountIncludingTax',
      'invoiceDiscountAllocation',
      'netAmount',
      'netTaxAmount',
      'netAmountIncludingTax',
    ],
    readOnly(decimal),
  ),
  ['shipmentDate', date],
];

const lineEnd = each(['itemVariantId', 'locationId'], guid);

export const salesOrderLines = entitySet({
  name: 'salesOrderLines',
  type: 'salesOrderLine',
  table: 'salesOrderLines',
  fields: [
    ...lineFields,
    ...each(['shippedQuantity', 'invoicedQuantity'], readOnly(decimal)),
    ...each(['shipQuantity', 'invoiceQuantity'], decimal),
    ...lineEnd,
  ],
});

export const salesInvoiceLines = entitySet({
  name: 'salesInvoiceLines',
  type: 'salesInvoiceLine',
  table: 'salesInvoiceLines',
  fields: [...lineFields, ...lineEnd],
});
