import type { JsonObject, PlatformName, StoredEntityType } from '@app/mapper';
import type { Connection, Page, ReadScope } from '../src/connectors/connector';
import { GivenConnector } from '../test/support/given-records';

/** How many records of each type a platform has; 100,000 in all. */
const counts: Readonly<Record<StoredEntityType, number>> = {
  project: 1_000,
  customer: 4_000,
  contract: 20_000,
  invoice: 35_000,
  payment: 40_000,
};

/** Records of a platform in this portfolio. */
export const RECORDS = Object.values(counts).reduce((sum, count) => sum + count, 0);

/** The largest type. */
export const LARGEST: StoredEntityType = 'payment';

/**
 * A large portfolio on both platforms, made while it is read. Half of each type is on both under the same key. One contract in
 * ten has a number that other projects use as well, so its project has to decide.
 */
export class LargePortfolio extends GivenConnector {
  constructor() {
    super([]);
  }

  override async *read({ platform }: Connection, { entityType }: ReadScope): AsyncIterable<Page> {
    const shapes = platform === 'platform_a' ? shapesOfA : shapesOfB;
    const variant = variantOf(platform, entityType);
    for (let from = 0; from < counts[entityType]; from += PAGE) {
      const end = Math.min(from + PAGE, counts[entityType]);
      const records = Array.from({ length: end - from }, (_, place) => ({
        entityType,
        variant,
        payload: { ...shapes[entityType](from + place), ...filler },
      }));
      const last = end === counts[entityType];
      yield await Promise.resolve({ records, next: last ? null : end, ...(last && { complete: true }) });
    }
  }
}

const PAGE = 500;

function variantOf(platform: PlatformName, entityType: StoredEntityType): string | null {
  return platform === 'platform_a' && entityType === 'contract' ? 'WorkOrderContract' : null;
}

// Custom fields and the like, which make a record of a real platform about a kilobyte.
const filler: JsonObject = {
  custom_fields: Object.fromEntries(
    Array.from({ length: 8 }, (_, index) => [
      `custom_field_${index}`,
      { data_type: 'string', value: `Text that somebody wrote into field ${index}` },
    ]),
  ),
};

const stamp = { updated_at: '2026-02-01T06:05:12Z', created_at: '2025-02-18T07:30:00Z' };

/** Numbers of the second half differ between the platforms, so that half of the records link. */
function key(prefix: string, type: StoredEntityType, index: number, own: string): string {
  return `${prefix}-${index < counts[type] / 2 ? '' : own}${String(index).padStart(7, '0')}`;
}

function contractNumber(index: number, own: string): string {
  return index % 10 === 0
    ? `SC-${String((index / 10) % 20).padStart(3, '0')}`
    : key('C', 'contract', index, own);
}

// Parents are spread so that the half that links refers to parents that link.
function parent(type: StoredEntityType, index: number, of: StoredEntityType): number {
  return Math.floor((index / counts[of]) * counts[type]);
}

const shapesOfA: Readonly<Record<StoredEntityType, (index: number) => JsonObject>> = {
  project: (index) => ({
    id: index + 1,
    name: `Tower ${index}`,
    project_number: key('P', 'project', index, 'A'),
    ...stamp,
  }),
  customer: (index) => ({
    id: index + 1,
    name: `Vendor ${index}`,
    is_active: true,
    business_register: { identifier: key('TRN', 'customer', index, 'A') },
    ...stamp,
  }),
  contract: (index) => ({
    id: index + 1,
    number: contractNumber(index, 'A'),
    title: `Package ${index}`,
    status: 'Approved',
    grand_total: `${1000 + index}.50`,
    project: { id: parent('project', index, 'contract') + 1 },
    vendor: { id: parent('customer', index, 'contract') + 1 },
    currency_configuration: { currency_iso_code: 'USD' },
    line_items: [{ id: index + 1, position: 1, amount: `${1000 + index}.50`, quantity: '1.0', uom: 'ls' }],
    ...stamp,
  }),
  invoice: (index) => ({
    id: index + 1,
    invoice_number: key('INV', 'invoice', index, 'A'),
    status: 'approved',
    project_id: parent('project', index, 'invoice') + 1,
    commitment_id: parent('contract', index, 'invoice') + 1,
    vendor_id: parent('customer', index, 'invoice') + 1,
    billing_date: '2026-01-31',
    summary: { current_payment_due: `${500 + index}.25`, tax_applicable_to_this_payment: '0.0' },
    currency_configuration: { currency_iso_code: 'USD' },
    items: [],
    ...stamp,
  }),
  payment: (index) => ({
    id: index + 1,
    amount: `${100 + index}.75`,
    status: 'pending',
    check_number: key('CHK', 'payment', index, 'A'),
    project_id: parent('project', index, 'payment') + 1,
    contract_id: parent('contract', index, 'payment') + 1,
    requisition_id: parent('invoice', index, 'payment') + 1,
    date: '2026-02-01',
    notes: `Progress payment ${index}`,
    ...stamp,
  }),
};

const stampOfB = {
  '@odata.etag': 'W/"JzE5OzQ3NzIwNjQ4MTkzODg3MTI3Mjg7MDA7Jw=="',
  lastModifiedDateTime: '2026-02-01T08:10:04.613Z',
};

function guid(type: StoredEntityType, index: number): string {
  const group = Object.keys(counts).indexOf(type);
  return `0000000${group}-0000-4000-8000-${String(index).padStart(12, '0')}`;
}

const shapesOfB: Readonly<Record<StoredEntityType, (index: number) => JsonObject>> = {
  project: (index) => ({
    id: guid('project', index),
    number: key('P', 'project', index, 'B'),
    displayName: `Tower ${index}`,
    ...stampOfB,
  }),
  customer: (index) => ({
    id: guid('customer', index),
    number: `C${index}`,
    displayName: `Vendor ${index}`,
    taxRegistrationNumber: key('TRN', 'customer', index, 'B'),
    currencyCode: 'USD',
    blocked: '_x0020_',
    ...stampOfB,
  }),
  contract: (index) => ({
    id: guid('contract', index),
    number: `S-ORD${index}`,
    externalDocumentNumber: contractNumber(index, 'B'),
    shortcutDimension1Code: key('P', 'project', parent('project', index, 'contract'), 'B'),
    customerId: guid('customer', parent('customer', index, 'contract')),
    currencyCode: 'USD',
    totalAmountExcludingTax: 1000.5 + index,
    status: 'Open',
    ...stampOfB,
  }),
  invoice: (index) => ({
    id: guid('invoice', index),
    number: `PS-INV${index}`,
    externalDocumentNumber: key('INV', 'invoice', index, 'B'),
    orderId: guid('contract', parent('contract', index, 'invoice')),
    shortcutDimension1Code: key('P', 'project', parent('project', index, 'invoice'), 'B'),
    customerId: guid('customer', parent('customer', index, 'invoice')),
    currencyCode: 'USD',
    totalAmountIncludingTax: 500.25 + index,
    status: 'Open',
    ...stampOfB,
  }),
  payment: (index) => ({
    id: guid('payment', index),
    documentNumber: `G${index}`,
    externalDocumentNumber: key('CHK', 'payment', index, 'B'),
    customerId: guid('customer', parent('customer', index, 'payment')),
    appliesToInvoiceId: guid('invoice', parent('invoice', index, 'payment')),
    amount: -(100.75 + index),
    currencyCode: 'USD',
    postingDate: '2026-02-01',
    comment: `Progress payment ${index}`,
    ...stampOfB,
  }),
};
