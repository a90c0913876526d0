import type { JsonObject } from '../json/json-value';
import {
  assembleFields,
  assembleObject,
  disagreementsOn,
  equalAtTheRate,
  type PlatformCopy,
  type StoredObject,
} from './assemble';
import { defaultTerms, type Precedence } from './terms';

const context = { inheritedCurrency: 'USD', localCurrency: 'QAR', references: {}, variant: null };

function onA(payload: JsonObject, more: Partial<PlatformCopy> = {}): PlatformCopy {
  return { platform: 'platform_a', platformId: '1', payload, ...context, ...more };
}

function onB(payload: JsonObject, more: Partial<PlatformCopy> = {}): PlatformCopy {
  return {
    platform: 'platform_b',
    platformId: 'f2a5738a-44e3-ea11-bb43-000d3a2feca1',
    payload,
    ...context,
    ...more,
  };
}

function stored(
  entityType: StoredObject['entityType'],
  copies: readonly PlatformCopy[],
  extra: JsonObject = {},
): StoredObject {
  return { id: 'x_0123456789abcdef', entityType, copies, extra };
}

describe('an object of two copies', () => {
  it('has the value of the first platform that has one', () => {
    const { object, disagreements } = assembleObject(
      stored('payment', [
        onA({ amount: '1700000.00', check_number: 'CHK-1', notes: null, date: '2026-02-01' }),
        onB({
          amount: -6_188_000,
          currencyCode: 'QAR',
          comment: 'Progress',
          description: 'Apex',
          postingDate: '2026-02-01',
        }),
      ]),
    );
    expect(object).toMatchObject({
      id: 'x_0123456789abcdef',
      object: 'payment',
      amount: { amount: 170_000_000, currency: 'USD' },
      check_number: 'CHK-1',
      notes: 'Progress',
      description: 'Apex',
      date: '2026-02-01',
      external_ids: { platform_a: '1', platform_b: 'f2a5738a-44e3-ea11-bb43-000d3a2feca1' },
    });
    expect(disagreements).toEqual([]);
  });

  it('has its fields without IDs and metadata of its records', () => {
    const two = stored(
      'payment',
      [
        onA({ amount: '5.00', requisition_id: 7, notes: null }, { derived: { invoice_number: 'INV-1' } }),
        onB({ comment: 'Progress' }, { references: { contract_id: 'cor_0123456789abcdef' } }),
      ],
      { reference: 'R-1' },
    );
    const { external_ids, provider_metadata, id, object, ...fields } = assembleObject(two).object;
    expect([external_ids, provider_metadata, id, object]).not.toContain(undefined);
    expect(fields).toMatchObject({ notes: 'Progress', invoice_number: 'INV-1', invoice_id: null });
    expect(assembleFields(two)).toEqual(fields);
    expect(assembleFields(two, ['notes', 'check_number', 'no such field'])).toEqual({
      notes: 'Progress',
      check_number: null,
    });
  });

  it('keeps both residues, each under its platform’s name, from which each payload comes back', () => {
    const a = onA({ id: 1, name: 'Tower', flag: 'Red', project_number: '' });
    const b = onB({ '@odata.etag': 'W/"1"', displayName: 'Tower' });
    const { object } = assembleObject(stored('project', [a, b]));
    expect(object.provider_metadata).toEqual({
      platform_a: { fields: { id: 1, flag: 'Red' }, literals: { project_number: '' } },
      platform_b: { fields: { '@odata.etag': 'W/"1"' } },
    });
  });

  it('lists each field on which they differ, with what was chosen', () => {
    const { object, disagreements } = assembleObject(
      stored('payment', [
        onA({ check_number: 'CHK-1', date: '2026-02-01', notes: 'one' }),
        onB({ externalDocumentNumber: 'CHK-2', postingDate: '2026-02-03', comment: 'one' }),
      ]),
    );
    expect(object).toMatchObject({ check_number: 'CHK-1', date: '2026-02-01' });
    expect(disagreements).toEqual([
      {
        field: 'date',
        why: 'it comes first by default',
        chosen: { platform: 'platform_a', value: '2026-02-01' },
        other: { platform: 'platform_b', value: '2026-02-03' },
      },
      {
        field: 'check_number',
        why: 'it comes first by default',
        chosen: { platform: 'platform_a', value: 'CHK-1' },
        other: { platform: 'platform_b', value: 'CHK-2' },
      },
    ]);
  });

  it('reports no disagreement when one platform cannot express the other’s value', () => {
    const { disagreements } = assembleObject(
      stored('contract', [
        onA({ number: ' c-lex-001', status: 'Approved', grand_total: '100.00' }),
        onB({
          externalDocumentNumber: 'C-LEX-001',
          status: 'Open',
          totalAmountExcludingTax: 364,
          currencyCode: 'QAR',
        }),
      ]),
    );
    expect(disagreements).toEqual([]);
  });

  it('lets each platform keep its own currency, time stamps and lines', () => {
    const { object, disagreements } = assembleObject(
      stored('contract', [
        onA({
          currency_configuration: { currency_iso_code: 'USD' },
          updated_at: '2026-01-01T00:00:00Z',
          line_items: [{ id: 1, amount: '1.00' }],
        }),
        onB({ currencyCode: 'QAR', lastModifiedDateTime: '2026-01-02T00:00:00Z', salesOrderLines: [] }),
      ]),
    );
    expect(object).toMatchObject({
      currency: 'USD',
      updated_at: '2026-01-01T00:00:00Z',
      lines: [{ id: '1' }],
    });
    expect(disagreements).toEqual([]);
  });

  it('is no disagreement of addresses that differ in form alone', () => {
    const { object, disagreements } = assembleObject(
      stored('customer', [
        onA({
          name: 'Apex',
          address: 'Building 47\nZone 57',
          city: 'Doha',
          state_code: 'DA',
          zip: '',
          country_code: 'QA',
        }),
        onB({
          displayName: 'Apex',
          addressLine1: 'Building 47',
          addressLine2: 'Zone 57',
          city: 'Doha',
          state: 'DA',
          postalCode: '',
          country: 'QA',
        }),
      ]),
    );
    expect(object.address).toEqual({
      line1: 'Building 47',
      line2: 'Zone 57',
      city: 'Doha',
      state: 'DA',
      postal_code: null,
      country: 'QA',
    });
    expect(disagreements).toEqual([]);
  });

  it('is no disagreement of addresses of which one leaves a blank part out', () => {
    const onBoth = (zip: string) =>
      assembleObject(
        stored('customer', [
          onA({ address: 'a\r\nb', city: 'D' }),
          onB({ addressLine1: 'a', addressLine2: 'b', city: 'D', state: '', postalCode: zip, country: '' }),
        ]),
      ).disagreements;
    expect(onBoth('')).toEqual([]);
    expect(onBoth('22104')).toMatchObject([{ field: 'address' }]);
  });

  it('takes the address of the platform that has one', () => {
    const blank = { address: '', city: '', state_code: null, zip: '', country_code: null };
    const { object } = assembleObject(
      stored('customer', [onA(blank), onB({ addressLine1: 'Building 47', city: 'Doha' })]),
    );
    expect(object.address).toEqual({ line1: 'Building 47', city: 'Doha' });
  });
});

describe('a status', () => {
  it.each([
    ['approved', 'Paid', 'paid', []],
    ['approved', 'Open', 'approved', []],
    ['draft', 'Paid', 'draft', ['status']],
    ['under_review', 'Paid', 'in_review', ['status']],
    ['approved_as_noted', 'Open', 'approved_as_noted', []],
  ])('of an invoice that is %s there and %s here is %s', (a, b, status, differing) => {
    const { object, disagreements } = assembleObject(
      stored('invoice', [onA({ status: a }), onB({ status: b })]),
    );
    expect(object.status).toBe(status);
    expect(disagreements.map(({ field }) => field)).toEqual(differing);
  });

  it('of a customer is the more precise one', () => {
    const read = (isActive: boolean, blocked: string) =>
      assembleObject(stored('customer', [onA({ is_active: isActive }), onB({ blocked })]));
    expect(read(true, 'Ship').object.status).toBe('ship_blocked');
    expect(read(true, '_x0020_').object.status).toBe('active');
    expect(read(false, 'All').object.status).toBe('inactive');
    expect(read(false, 'Ship')).toMatchObject({
      object: { status: 'inactive' },
      disagreements: [{ field: 'status' }],
    });
  });

  it('of a payment is the project platform’s, because the journal says nothing but pending', () => {
    const { object, disagreements } = assembleObject(stored('payment', [onA({ status: 'paid' }), onB({})]));
    expect(object.status).toBe('paid');
    expect(disagreements).toEqual([]);
  });
});

describe('a status that a platform does not list', () => {
  it('is a disagreement with a word that the platform does not have', () => {
    const { object, disagreements } = assembleObject({
      id: 'inv_0123456789abcdef',
      entityType: 'invoice',
      copies: [
        {
          ...{ platform: 'platform_a', platformId: '1', payload: { id: 1, status: 'weird' } },
          ...{ variant: null, inheritedCurrency: 'USD', localCurrency: 'USD', references: {} },
        },
        {
          ...{ platform: 'platform_b', platformId: 'b1', payload: { status: 'Canceled' } },
          ...{ variant: null, inheritedCurrency: 'USD', localCurrency: 'USD', references: {} },
        },
      ],
      extra: {},
    });
    expect(object.status).toBe('unknown');
    expect(disagreements).toMatchObject([
      {
        field: 'status',
        chosen: { platform: 'platform_a', value: 'unknown' },
        other: { platform: 'platform_b', value: 'canceled' },
      },
    ]);
  });
});

describe('an amount', () => {
  const amounts = (a: string, b: number, currencyCode = 'QAR') =>
    assembleObject(stored('payment', [onA({ amount: a }), onB({ amount: b, currencyCode })]));

  it.each([
    ['1700000.00', -6_188_000],
    ['1700000.00', -6_188_000.01],
    ['0.01', -0.04],
    ['0.02', -0.07],
    ['5.49', -19.99],
  ])('of %s agrees at the rate with %d', (a, b) => {
    expect(amounts(a, b).disagreements).toEqual([]);
    expect(amounts(a, b).object.amount).toMatchObject({ currency: 'USD' });
  });

  it.each([
    ['1700000.00', -6_188_000.03],
    ['1700000.00', 6_188_000],
    ['1700000.00', -1_700_000],
  ])('of %s does not agree with %d', (a, b) => {
    expect(amounts(a, b).disagreements).toMatchObject([{ field: 'amount' }]);
  });

  it('is compared at the customer’s rate before the peg', () => {
    const rates = [{ from: 'USD', to: 'QAR', rate: '4' }];
    const copies = [onA({ amount: '100.00' }), onB({ amount: -400, currencyCode: 'QAR' })];
    expect(assembleObject(stored('payment', copies), { ...defaultTerms, rates }).disagreements).toEqual([]);
    expect(assembleObject(stored('payment', copies)).disagreements).toHaveLength(1);
  });

  it('without a rate is a disagreement', () => {
    expect(amounts('100.00', -100, 'EUR').disagreements).toMatchObject([{ field: 'amount' }]);
  });

  it('is equal at the rate in either direction, and never beyond the largest', () => {
    const usd = (amount: number) => ({ amount, currency: 'USD' });
    const qar = (amount: number) => ({ amount, currency: 'QAR' });
    expect(equalAtTheRate(usd(100), qar(364), [])).toBe(true);
    expect(equalAtTheRate(qar(364), usd(100), [])).toBe(true);
    expect(equalAtTheRate(qar(365), usd(100), [])).toBe(true);
    expect(equalAtTheRate(qar(367), usd(100), [])).toBe(false);
    expect(equalAtTheRate(usd(100), usd(101), [])).toBe(false);
    expect(equalAtTheRate(usd(Number.MAX_SAFE_INTEGER), qar(1), [])).toBe(false);
    expect(equalAtTheRate(usd(0), { amount: 0, currency: 'ISK' }, [])).toBe(true);
    expect(equalAtTheRate(usd(0), { amount: 1, currency: 'ISK' }, [])).toBe(false);
  });

  it('in an unknown currency is left out, kept raw and reported', () => {
    const { object, issues } = assembleObject(stored('payment', [onB({ amount: -1, currencyCode: 'EURO' })]));
    expect(object.amount).toBeUndefined();
    expect(object.provider_metadata).toEqual({
      platform_b: { fields: { amount: -1, currencyCode: 'EURO' } },
    });
    expect(issues).toEqual([
      {
        platform: 'platform_b',
        path: 'currencyCode',
        problem: 'expected an ISO 4217 currency code, received "EURO"',
      },
    ]);
  });
});

describe('a reference', () => {
  it('is what either copy’s record refers to, the first before the second', () => {
    const { object } = assembleObject(
      stored('payment', [
        onA({ requisition_id: 10061 }, { references: { project_id: 'proj_a' } }),
        onB({}, { references: { project_id: 'proj_b', customer_id: 'cust_b' } }),
      ]),
    );
    expect(object).toMatchObject({ project_id: 'proj_a', customer_id: 'cust_b', invoice_id: null });
  });

  it('is absent where no record has such a field, and null where it leads nowhere that is known', () => {
    const { object } = assembleObject(stored('payment', [onA({ contract_id: 7, requisition_id: null })]));
    expect(object).toMatchObject({ contract_id: null, invoice_id: null });
    expect(object).not.toHaveProperty('project_id');
    expect(object).not.toHaveProperty('customer_id');
  });
});

describe('what follows from the records around', () => {
  it('counts before what the record itself says', () => {
    const derived = { invoice_number: 'INV-1' };
    expect(assembleObject(stored('payment', [onB({}, { derived })])).object.invoice_number).toBe('INV-1');
    expect(
      assembleObject(stored('payment', [onA({ invoice_number: 'INV-2' }), onB({}, { derived })])).object
        .invoice_number,
    ).toBe('INV-2');
  });

  it('is a value no platform can hold, as long as none says another', () => {
    const { object } = assembleObject(
      stored('contract', [onB({ status: 'Open' })], { title: 'Substructure' }),
    );
    expect(object.title).toBe('Substructure');
    const status = (b: string, extra: string) =>
      assembleObject(stored('contract', [onB({ status: b })], { status: extra })).object.status;
    expect(status('Open', 'in_progress')).toBe('in_progress');
    expect(status('Draft', 'in_progress')).toBe('draft');
  });

  it('is null for what a client relies on in a payment', () => {
    expect(assembleObject(stored('payment', [onB({})])).object).toMatchObject({
      status: 'pending',
      check_number: null,
      invoice_number: null,
    });
    expect(assembleObject(stored('invoice', [onB({})])).object).not.toHaveProperty('status');
  });
});

describe('a record of either variant', () => {
  it('is read by its own mapping', () => {
    const read = (variant: string | null) =>
      assembleObject(stored('contract', [onA({ status: 'Submitted' }, { variant })])).object;
    expect(read('PurchaseOrderContract')).toMatchObject({
      kind: 'purchase_order',
      status: 'pending_approval',
    });
    expect(read('WorkOrderContract')).toMatchObject({ kind: 'work_order', status: 'unknown' });
    expect(read(null)).toMatchObject({ kind: 'work_order' });
    expect(() => read('Subcontract')).toThrow(
      new RangeError('platform_a has no contract of the variant Subcontract'),
    );
  });
});

describe('a precedence that was agreed', () => {
  const precedence: Precedence = {
    payment: { date: ['platform_b'], amount: ['platform_b', 'platform_a'], check_number: ['platform_b'] },
    invoice: { status: ['platform_b'], amount: ['platform_b'] },
  };
  const payment = stored('payment', [
    onA({ amount: '100.00', date: '2026-02-01', notes: 'one' }),
    onB({ amount: -365, currencyCode: 'QAR', postingDate: '2026-02-03', comment: 'two' }),
  ]);

  it('lets the platform that is named decide, for its fields alone, and says so', () => {
    const { object, disagreements } = assembleObject(payment, { rates: [], precedence });
    expect(object).toMatchObject({
      amount: { amount: 36_500, currency: 'QAR' },
      date: '2026-02-03',
      notes: 'one',
    });
    expect(disagreements.map(({ field, why, chosen }) => [field, why, chosen.platform])).toEqual([
      ['amount', 'it comes first as agreed with the customer', 'platform_b'],
      ['date', 'it comes first as agreed with the customer', 'platform_b'],
      ['notes', 'it comes first by default', 'platform_a'],
    ]);
    expect(assembleFields(payment, ['amount', 'date', 'notes'], { precedence })).toEqual({
      amount: object.amount,
      date: object.date,
      notes: object.notes,
    });
  });

  it('goes on with the next platform where the first says nothing', () => {
    const { object } = assembleObject(
      stored('payment', [onA({ check_number: 'CHK-1' }), onB({ externalDocumentNumber: '' })]),
      { rates: [], precedence },
    );
    expect(object.check_number).toBe('CHK-1');
  });

  it('takes the currency and the lines of an invoice from where its amount comes from', () => {
    const { object } = assembleObject(
      stored('invoice', [
        onA({ currency_configuration: { currency_iso_code: 'USD' }, total_claimed_amount: '1.00' }),
        onB({ currencyCode: 'QAR', totalAmountIncludingTax: 4, salesInvoiceLines: [] }),
      ]),
      { rates: [], precedence },
    );
    expect(object).toMatchObject({ amount: { amount: 400, currency: 'QAR' }, currency: 'QAR' });
  });

  it('leaves the more precise word of the other platform standing', () => {
    const status = (a: string, b: string) =>
      assembleObject(stored('invoice', [onA({ status: a }), onB({ status: b })]), { rates: [], precedence });
    expect(status('approved_as_noted', 'Open').object.status).toBe('approved_as_noted');
    expect(status('draft', 'Paid')).toMatchObject({
      object: { status: 'paid' },
      disagreements: [{ field: 'status', why: 'it comes first as agreed with the customer' }],
    });
  });
});

describe('the disagreements on some fields', () => {
  it('are those of the whole object on these fields', () => {
    const two = stored('payment', [
      onA({ check_number: 'CHK-1', date: '2026-02-01' }),
      onB({ externalDocumentNumber: 'CHK-2', postingDate: '2026-02-03' }),
    ]);
    const all = assembleObject(two).disagreements;
    expect(disagreementsOn(two, ['check_number', 'notes'], defaultTerms)).toEqual(
      all.filter(({ field }) => field === 'check_number'),
    );
  });
});

describe('two amounts in different currencies', () => {
  it('are not equal where no rate is known and one is not zero, nor where one is too large to convert', () => {
    const [dollars, yen] = [
      { amount: 5, currency: 'USD' },
      { amount: 0, currency: 'JPY' },
    ];
    expect(equalAtTheRate(dollars, yen, [])).toBe(false);
    expect(equalAtTheRate(yen, dollars, [])).toBe(false);
    expect(equalAtTheRate({ ...dollars, amount: 0 }, yen, [])).toBe(true);
    const largest = { amount: Number.MAX_SAFE_INTEGER, currency: 'USD' };
    expect(equalAtTheRate(largest, { amount: 1, currency: 'QAR' }, [])).toBe(false);
  });
});
