import { CONTRACT_FROM, INVOICE_FROM } from './amounts';
import { storedEntityTypes, type JsonObject, type StoredEntityType } from '@app/mapper';
import { fillerOf, keyOf, offsetOf, parentOf, textOf, type Shape } from './shape';

/** The records of platform_b, each made from its number. */
export const recordsOfB: Readonly<Record<StoredEntityType, (index: number, shape: Shape) => JsonObject>> = {
  project: (index, shape) => ({
    id: guid('project', index),
    number: keyOf('P', 'project', index, shape),
    displayName: `Tower ${index}`,
    ...common(index, shape),
  }),
  customer: (index, shape) => ({
    id: guid('customer', index),
    number: `C${index}`,
    displayName: `Vendor ${index}`,
    taxRegistrationNumber: keyOf('TRN', 'customer', index, shape),
    currencyCode: 'USD',
    blocked: '_x0020_',
    ...common(index, shape),
  }),
  contract: (index, shape) => ({
    id: guid('contract', index),
    number: `S-ORD${index}`,
    externalDocumentNumber: keyOf('C', 'contract', index, shape),
    shortcutDimension1Code: keyOf('P', 'project', parentOf('project', index, 'contract', shape), shape),
    customerId: guid('customer', parentOf('customer', index, 'contract', shape)),
    currencyCode: 'USD',
    totalAmountExcludingTax: CONTRACT_FROM + 0.5 + index + offsetOf(index, shape),
    status: 'Open',
    ...common(index, shape),
  }),
  invoice: (index, shape) => ({
    id: guid('invoice', index),
    number: `PS-INV${index}`,
    externalDocumentNumber: keyOf('INV', 'invoice', index, shape),
    orderId: guid('contract', parentOf('contract', index, 'invoice', shape)),
    shortcutDimension1Code: keyOf('P', 'project', parentOf('project', index, 'invoice', shape), shape),
    customerId: guid('customer', parentOf('customer', index, 'invoice', shape)),
    currencyCode: 'USD',
    totalAmountIncludingTax: INVOICE_FROM + 0.25 + index + offsetOf(index, shape),
    status: 'Open',
    ...common(index, shape),
  }),
  payment: (index, shape) => ({
    id: guid('payment', index),
    documentNumber: `G${index}`,
    externalDocumentNumber: keyOf('CHK', 'payment', index, shape),
    customerId: guid('customer', parentOf('customer', index, 'payment', shape)),
    appliesToInvoiceId: guid('invoice', parentOf('invoice', index, 'payment', shape)),
    amount: -(100.75 + index + offsetOf(index, shape)),
    currencyCode: 'USD',
    postingDate: '2026-02-01',
    comment: textOf(`Progress payment ${index}`, index, shape),
    ...common(index, shape),
  }),
};

function common(index: number, shape: Shape): JsonObject {
  return {
    ...fillerOf(index, shape),
    '@odata.etag': 'W/"JzE5OzQ3NzIwNjQ4MTkzODg3MTI3Mjg7MDA7Jw=="',
    lastModifiedDateTime: '2026-02-01T08:10:04.613Z',
  };
}

function guid(type: StoredEntityType, index: number): string {
  return `0000000${storedEntityTypes.indexOf(type)}-0000-4000-8000-${String(index).padStart(12, '0')}`;
}
