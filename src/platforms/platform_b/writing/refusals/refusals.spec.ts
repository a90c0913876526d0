import type { JsonObject, JsonValue, StoredEntityType } from '@app/mapper';
import { behaviourOf } from '@app/behaviour';
import { NO_GUID } from '../../pages/field-kinds';
import { refusalOf } from './refusals';

const sample = (entityType: StoredEntityType, fits: (record: JsonObject) => boolean): JsonObject => {
  const found = behaviourOf('platform_b')
    .portfolio()
    .find((record) => record.entityType === entityType && fits(record.payload));
  if (found === undefined) throw new Error('There is no such record');
  return found.payload;
};

const refused = (
  entityType: StoredEntityType,
  fields: Readonly<Record<string, JsonValue>>,
  current?: JsonObject,
  referred: Readonly<Record<string, JsonObject>> = {},
): string | undefined => {
  const changes = Object.entries(fields).map(([name, value]) => ({ path: [name], value }));
  return refusalOf({ entityType, changes, referred }, current);
};

const POSTED = 'The invoice has been posted and can no longer be modified.';
const LOCKED =
  /^Status must be equal to 'Open' in Sales Header: Document Type=(Order|Invoice), No\.=\S+\. Current value is '(Released|Pending Approval)'\.$/;

describe('what platform_b is known to refuse', () => {
  const order = (status: string): JsonObject => sample('contract', (record) => record['status'] === status);
  const fromOrder = sample('invoice', ({ status, orderId }) => status === 'Open' && orderId !== NO_GUID);
  const maybePosted = sample('invoice', ({ status, orderId }) => status === 'Open' && orderId === NO_GUID);

  it.each(['Open', 'In_x0020_Review'])('are the locked fields of an order that is %s', (status) => {
    for (const field of ['customerId', 'currencyCode', 'requestedDeliveryDate', 'partialShipping']) {
      expect(refused('contract', { [field]: 'x' }, order(status))).toMatch(LOCKED);
    }
    for (const field of ['externalDocumentNumber', 'postingDate', 'email', 'salesperson']) {
      expect(refused('contract', { [field]: 'x' }, order(status))).toBeUndefined();
    }
    expect(refused('contract', { customerId: 'x' }, order('Draft'))).toBeUndefined();
  });

  it('are all fields of a posted invoice but four', () => {
    for (const invoice of [fromOrder, { ...maybePosted, status: 'Paid' }]) {
      expect(refused('invoice', { externalDocumentNumber: 'x' }, invoice)).toBe(POSTED);
      expect(refused('invoice', { totalAmountIncludingTax: 5 }, invoice)).toBe(POSTED);
      expect(refused('invoice', { dueDate: '2030-01-01', email: 'x' }, invoice)).toBe(POSTED);
      expect(refused('invoice', { dueDate: '2030-01-01', disputeStatus: 'x' }, invoice)).toBeUndefined();
    }
  });

  it('is, for an invoice that may have been posted, only what it refuses in both states', () => {
    expect(refused('invoice', { externalDocumentNumber: 'x' }, maybePosted)).toBeUndefined();
    expect(refused('invoice', { customerId: 'x' }, maybePosted)).toMatch(LOCKED);
  });

  it('is a read-only field', () => {
    expect(refused('contract', { fullyShipped: true }, order('Draft'))).toBe(
      "Control 'fullyShipped' is read-only.",
    );
    expect(refused('contract', { totalAmountExcludingTax: 5 }, order('Draft'))).toBeUndefined();
  });

  it('is a customer without a name, and a document without a customer', () => {
    expect(refused('customer', {})).toBe('A "displayName" must be provided.');
    expect(refused('customer', { displayName: '' }, {})).toBe('The blank "displayName" is not allowed.');
    expect(refused('customer', { city: 'Doha' }, {})).toBeUndefined();
    expect(refused('invoice', { externalDocumentNumber: 'x' })).toBe(
      'A "customerNumber" or a "customerId" must be provided.',
    );
    expect(refused('invoice', { customerId: fromOrder['customerId'] ?? null })).toBeUndefined();
  });

  it('is a payment of an invoice that is not posted', () => {
    const invoice = { id: 'a', status: 'Draft' };
    const fields = { appliesToInvoiceId: 'a', amount: -1 };
    expect(refused('payment', fields, undefined, { invoice_id: invoice })).toMatch(
      /^The "appliesToInvoiceId" should be/,
    );
    expect(
      refused('payment', fields, undefined, { invoice_id: { ...invoice, status: 'Open' } }),
    ).toBeUndefined();
    expect(refused('payment', { amount: -1 }, undefined, { invoice_id: invoice })).toBeUndefined();
  });

  it('is an amount of several lines, and one that is discounted whole', () => {
    const draft = { ...order('Draft'), salesOrderLines: [{}, {}] };
    expect(refused('contract', { totalAmountExcludingTax: 5 }, draft)).toMatch(/is the sum of 2 lines/);
    const free = { ...draft, salesOrderLines: [{ quantity: 1, discountPercent: 100 }] };
    expect(refused('contract', { totalAmountExcludingTax: 5 }, free)).toMatch(/discounted whole/);
    const released = { ...order('Open'), salesOrderLines: [] };
    expect(refused('contract', { totalAmountExcludingTax: 5 }, released)).toMatch(LOCKED);
  });
});
