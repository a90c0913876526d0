import { join } from 'node:path';
import {
  ExactNumber,
  stringifyJson,
  type JsonObject,
  type NativeChange,
  type StoredEntityType,
} from '@app/mapper';
import { newRecordsFrom } from '../json-files';
import { occasionAt } from '../occasion';
import { writeToPlatformB } from './write';

const now = new Date('2026-11-21T10:00:00.789Z');
const NO_GUID = '00000000-0000-0000-0000-000000000000';
const GUID = 'F49AE22A-7DEB-4F4B-BA67-C8E09EDCF190';

function write(
  entityType: StoredEntityType,
  current: JsonObject | undefined,
  fields: Readonly<Record<string, NativeChange['value']>>,
  referred: Readonly<Record<string, JsonObject>> = {},
): ReturnType<typeof JSON.parse> {
  const changes = Object.entries(fields).map(([name, value]) => ({ path: [name], value }));
  return writeToPlatformB({ entityType, variant: null, current, changes, referred }, occasionAt(now));
}

const line: JsonObject = {
  id: 'x',
  quantity: 4,
  unitPrice: 25,
  amountExcludingTax: 100,
  netAmount: 100,
  taxPercent: 5,
  totalTaxAmount: 5,
  netTaxAmount: 5,
  amountIncludingTax: 105,
  netAmountIncludingTax: 105,
};
const totals = {
  totalAmountExcludingTax: 100,
  totalTaxAmount: 5,
  totalAmountIncludingTax: 105,
  currencyCode: 'QAR',
};

describe('a write to platform_b', () => {
  it('gives the record a new etag and time', () => {
    const record = write(
      'payment',
      { comment: 'old', '@odata.etag': 'W/"old"', lastModifiedDateTime: 'old' },
      { comment: 'new' },
    );
    expect(record).toEqual({
      comment: 'new',
      '@odata.etag': expect.stringMatching(/^W\/"[A-Za-z0-9+/]+=*"$/),
      lastModifiedDateTime: '2026-11-21T10:00:00.789Z',
    });
    expect(write('payment', record, { comment: 'newer' })['@odata.etag']).not.toBe(record['@odata.etag']);
  });

  it('computes totals to the last digit, also of a number that no double holds', () => {
    const record = write(
      'contract',
      { ...totals, salesOrderLines: [line] },
      { totalAmountExcludingTax: new ExactNumber('12345678901234.567') },
    );
    const { totalAmountExcludingTax, totalTaxAmount, totalAmountIncludingTax } = record;
    expect(stringifyJson([totalAmountExcludingTax, totalTaxAmount, totalAmountIncludingTax])).toBe(
      '[12345678901234.567,617283945061.73,12962962846296.297]',
    );
  });

  it('leaves the record alone where it has every value already', () => {
    const current: JsonObject = {
      externalDocumentNumber: 'CHK-1',
      comment: '',
      salesperson: 'KHA',
      postingDate: '0001-01-01',
    };
    expect(
      write('payment', current, {
        externalDocumentNumber: ' chk-1',
        comment: null,
        salesperson: 'kha',
        postingDate: null,
      }),
    ).toBe(current);
  });

  it('puts codes in upper case, even unmapped ones, but not text', () => {
    expect(
      write(
        'contract',
        {},
        {
          externalDocumentNumber: ' c-1 ',
          salesperson: ' kha ',
          email: ' A@b ',
          shortcutDimension2Code: 'x',
        },
      ),
    ).toMatchObject({
      externalDocumentNumber: 'C-1',
      salesperson: 'KHA',
      email: ' A@b ',
      shortcutDimension2Code: 'X',
    });
  });

  it('keeps keys in lower case', () => {
    expect(write('payment', {}, { customerId: GUID }).customerId).toBe(GUID.toLowerCase());
  });

  it.each([
    ['text', 0],
    [7, 0],
    [true, false],
    [GUID, NO_GUID],
    ['2026-01-01', '0001-01-01'],
    ['2026-01-01T10:00:00.5Z', '0001-01-01T00:00:00Z'],
  ])('writes the default of the type for null: %s', (present, fallback) => {
    const expected = present === 'text' ? '' : fallback;
    expect(write('customer', { field: present }, { field: null }).field).toBe(expected);
  });

  it.each([
    ['contract', 'totalAmountExcludingTax', 200.01, 200.01, 10, 210.01],
    ['invoice', 'totalAmountIncludingTax', 210.01, 200.01, 10, 210.01],
    ['contract', 'totalAmountExcludingTax', 0.5, 0.5, 0.02, 0.52],
  ] as const)(
    'computes %s totals and its one line with tax, from %s %d',
    (type, field, value, excluding, tax, including) => {
      const lines = type === 'contract' ? 'salesOrderLines' : 'salesInvoiceLines';
      const record = write(type, { ...totals, remainingAmount: 65, [lines]: [line] }, { [field]: value });
      expect(record).toMatchObject({
        totalAmountExcludingTax: excluding,
        totalTaxAmount: tax,
        totalAmountIncludingTax: including,
        [lines]: [
          {
            id: 'x',
            quantity: 1,
            unitPrice: excluding,
            netAmount: excluding,
            amountExcludingTax: excluding,
            totalTaxAmount: tax,
            netTaxAmount: tax,
            amountIncludingTax: including,
            netAmountIncludingTax: including,
          },
        ],
      });
      // 40 of the 105 had been paid.
      if (type === 'invoice') expect(record.remainingAmount).toBe(170.01);
    },
  );

  it('rounds tax to the decimals of the currency', () => {
    const dinars = write(
      'contract',
      { ...totals, currencyCode: 'KWD', salesOrderLines: [line] },
      { totalAmountExcludingTax: 0.01 },
    );
    expect(dinars.totalTaxAmount).toBe(0);
    const more = write(
      'contract',
      { ...totals, currencyCode: 'KWD', salesOrderLines: [line] },
      { totalAmountExcludingTax: 0.05 },
    );
    expect(more.totalTaxAmount).toBe(0.002);
  });

  it('keeps the tax of a document without lines', () => {
    expect(
      write('contract', { ...totals, salesOrderLines: [] }, { totalAmountExcludingTax: 50 }),
    ).toMatchObject({
      totalTaxAmount: 5,
      totalAmountIncludingTax: 55,
    });
  });

  it('shows numbers and names of what it refers to, as far as it has such fields', () => {
    const order = write(
      'contract',
      {
        customerId: NO_GUID,
        customerNumber: '',
        customerName: '',
        billToCustomerId: NO_GUID,
        billToName: '',
      },
      { customerId: GUID },
      { customer_id: { number: 'C1', displayName: 'Company' } },
    );
    expect(order).toMatchObject({
      customerNumber: 'C1',
      customerName: 'Company',
      billToCustomerId: GUID.toLowerCase(),
      billToName: 'Company',
    });
    expect(order).not.toHaveProperty('billToCustomerNumber');
    const payment = write(
      'payment',
      { appliesToInvoiceId: NO_GUID, appliesToInvoiceNumber: 'OLD' },
      { appliesToInvoiceId: GUID },
    );
    expect(payment.appliesToInvoiceNumber).toBe('');
  });

  it('shows the key of the currency beside its code', () => {
    const idOf = (code: string) =>
      write('customer', { currencyId: 'x', currencyCode: 'x' }, { currencyCode: code }).currencyId;
    expect(idOf('QAR')).toBe(NO_GUID);
    expect(idOf('AED')).toBe('ae447d1a-c52a-4773-a50d-7ce0de7d0324');
    expect(idOf('USD')).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(idOf('USD')).toBe(idOf('USD'));
    expect(idOf('USD')).not.toBe(idOf('EUR'));
  });

  it('makes a document with a key, a number from its series and one line', () => {
    const record = write('invoice', undefined, {
      totalAmountIncludingTax: 12.5,
      externalDocumentNumber: 'inv-9',
      currencyCode: 'USD',
    });
    expect(record).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      number: expect.stringMatching(/^PS-INV\d+$/),
      externalDocumentNumber: 'INV-9',
      remainingAmount: 12.5,
      salesInvoiceLines: [{ documentId: record.id, sequence: 10000, quantity: 1, unitPrice: 12.5 }],
    });
    expect(record.id).not.toBe(NO_GUID);
    expect(Object.keys(record).sort()).toEqual(
      Object.keys(newRecordsFrom(join(__dirname, 'new_records.json'))('invoice')).sort(),
    );
  });
});
