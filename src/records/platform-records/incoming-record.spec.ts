import { parseJsonText, type JsonObject, type StoredEntityType } from '@app/mapper';
import { fc } from '../../../libs/mapper/src/testing/property';
import { nativeOrder, readIncoming, refText } from './incoming-record';
import { digestOf } from './record-digest';

const onA = (entityType: StoredEntityType, payload: JsonObject, variant: string | null = null) =>
  readIncoming('platform_a', 'USD', { entityType, variant, payload });
const onB = (entityType: StoredEntityType, payload: JsonObject) =>
  readIncoming('platform_b', 'QAR', { entityType, variant: null, payload });

describe('readIncoming', () => {
  it('reads a contract of platform_a', () => {
    const payload: JsonObject = {
      id: 1945782,
      number: ' SC-001',
      project: { id: 341276 },
      vendor: { id: 501004 },
      currency_configuration: { currency_iso_code: 'USD' },
      updated_at: '2026-02-01T09:05:12+03:00',
    };
    expect(onA('contract', payload, 'WorkOrderContract')).toEqual({
      record: {
        entity_type: 'contract',
        platform_id: '1945782',
        native_order: `0${'1945782'.padStart(40, '0')}`,
        variant: 'WorkOrderContract',
        currency: 'USD',
        business_key: 'sc-001',
        number: ' SC-001',
        status: null,
        document_date: null,
        amount_order: null,
        search_words: 'sc-001',
        project_ref: 'id:341276',
        customer_ref: 'id:501004',
        contract_ref: null,
        invoice_ref: null,
        payload: JSON.stringify(payload),
        modified_at: '2026-02-01T06:05:12Z',
        digest: digestOf('USD', 'WorkOrderContract', JSON.stringify(payload)),
      },
      unreadableFields: 0,
    });
  });

  it('reads the company that a vendor of platform_a belongs to', () => {
    const vendor = { id: 501004, name: 'Doha Steel', parent: { id: 501001, name: 'Doha Group' } };
    expect(onA('customer', vendor).record).toMatchObject({ customer_ref: 'id:501001' });
    expect(onA('customer', { ...vendor, parent: null }).record).toMatchObject({ customer_ref: null });
  });

  it('reads an invoice of platform_b: its order by ID or by contract number, its project by number', () => {
    const order = '00000000-0000-4000-8000-00000000000A';
    const draft = { id: 'i1', customerPurchaseOrderReference: ' Sc-001', shortcutDimension1Code: 'LEX-001 ' };
    expect(onB('invoice', { ...draft, orderId: order }).record).toMatchObject({
      contract_ref: `id:${order.toLowerCase()}`,
      project_ref: 'key:lex-001',
    });
    expect(
      onB('invoice', { ...draft, orderId: '00000000-0000-0000-0000-000000000000' }).record,
    ).toMatchObject({
      contract_ref: 'key:sc-001',
    });
  });

  it('reads the invoice of a platform_a payment by ID, else by number', () => {
    expect(
      onA('payment', { id: 1, requisition_id: 10061, invoice_number: 'INV-1' }).record?.invoice_ref,
    ).toBe('id:10061');
    expect(onA('payment', { id: 1, requisition_id: null, invoice_number: 'INV-1' }).record?.invoice_ref).toBe(
      'key:inv-1',
    );
    expect(onA('payment', { id: 1, invoice_number: '  ' }).record?.invoice_ref).toBeNull();
  });

  it('keeps the currency only where the record itself names it, and notes one that does not exist', () => {
    expect(onA('payment', { id: 1, amount: '5.00' }).record?.currency).toBeNull();
    expect(onB('payment', { id: 'b1', amount: -5, currencyCode: '' }).record?.currency).toBeNull();
    expect(onB('payment', { id: 'b1', amount: -5, currencyCode: ' aed ' }).record?.currency).toBe('AED');
    expect(onB('payment', { id: 'b1', amount: -5, currencyCode: 'XQZ' }).record?.currency).toBe('');
  });

  it('keeps tax numbers and names of customers apart', () => {
    expect(
      onA('customer', { id: 1, name: 'Doha', business_register: { identifier: 'T-1' } }).record,
    ).toMatchObject({
      business_key: 'tax:t-1',
      number: 'T-1',
    });
    expect(onA('customer', { id: 1, name: 'T-1', business_register: null }).record?.business_key).toBe(
      'name:t-1',
    );
    expect(onA('customer', { id: 1, name: '' }).record?.business_key).toBeNull();
  });

  it('counts what cannot be read, and keeps the payload to the letter', () => {
    const text = '{"id":1,"amount":"12.345","date":"soon","x":9007199254740993}';
    const { record, unreadableFields } = onA('payment', parseJsonText(text) as JsonObject);
    expect(unreadableFields).toBe(2);
    expect(record?.payload).toBe(text);
  });

  it.each<[string, JsonObject, string | null]>([
    ['that its contract’s currency may have', { amount: '1.125' }, `0${'11250'.padStart(20, '0')}`],
    ['that no currency has', { amount: '1.12345' }, null],
  ])('orders an amount with more decimals than the connection’s currency, %s', (_, payload, order) => {
    expect(onA('payment', { id: 1, ...payload }).record?.amount_order).toBe(order);
  });

  it('orders no amount with more decimals than the currency that the record names, or that its company has', () => {
    const contract = { id: 'b', totalAmountExcludingTax: 1.125 };
    expect(onB('contract', { ...contract, currencyCode: 'AED' }).record?.amount_order).toBeNull();
    expect(onB('contract', { ...contract, currencyCode: '' }).record?.amount_order).toBeNull();
  });

  it.each([
    ['without an ID', '{"check_number":"C"}'],
    ['with a fraction for an ID', '{"id":0.5}'],
    ['with an ID beyond 2^53-1', '{"id":9007199254740992}'],
    ['with an ID that cannot be stored', '{"id":"\\u0000"}'],
    ['with an ID longer than any', JSON.stringify({ id: 'x'.repeat(201) })],
  ])('leaves a record out %s', (_, text) => {
    expect(onA('payment', parseJsonText(text) as JsonObject).record).toBeUndefined();
  });

  it('stores nothing that the database cannot: neither as key nor as reference', () => {
    const { record } = onA('payment', {
      id: 1,
      check_number: 'a\u0000b',
      requisition_id: '\ud800',
      invoice_number: '\u0000',
    });
    expect(record).toMatchObject({ business_key: null, number: null, invoice_ref: null });
    expect(record?.payload).not.toContain('\u0000');
  });
});

describe('nativeOrder', () => {
  it('puts numbers in the order of numbers, before all other IDs', () => {
    const ids = ['2', '10', '1', '9007199254740991', 'b', 'a10', 'a9', 'B', '-1', '1.5', '007'];
    const sorted = [...ids].sort((one, other) => {
      const [left, right] = [nativeOrder(one), nativeOrder(other)];
      return left < right ? -1 : left > right ? 1 : 0;
    });
    expect(sorted).toEqual(['1', '2', '007', '10', '9007199254740991', '-1', '1.5', 'B', 'a10', 'a9', 'b']);
  });

  it('agrees with the order of whole numbers', () => {
    const id = fc.bigInt({ min: 0n, max: 10n ** 39n });
    fc.assert(
      fc.property(id, id, (one, other) => {
        expect(nativeOrder(String(one)) < nativeOrder(String(other))).toBe(one < other);
      }),
    );
  });
});

describe('refText', () => {
  it('says by what it names', () => {
    expect(refText({ by: 'id', value: '17' })).toBe('id:17');
    expect(refText({ by: 'key', value: ' Sc–001 ' })).toBe('key:sc–001');
    expect(refText({ by: 'key', value: '   ' })).toBeNull();
    expect(refText({ by: 'id', value: '\u0000' })).toBeNull();
  });
});
