import { fieldsOf, type JsonObject } from '@app/mapper';
import { canonicalIntent, problemOf, refuseUnknownFields } from './canonical-intent';

const payment: JsonObject = {
  amount: { amount: 100, currency: 'USD' },
  status: 'pending',
  date: '2026-02-01',
  notes: null,
};

const intentOf = (patch: JsonObject) => {
  const { fields, problems } = canonicalIntent('payment', payment, patch);
  return { fields: Object.fromEntries(fields), problems: problems.map(({ path }) => path) };
};

describe('canonicalIntent', () => {
  it('leaves out what a field has already', () => {
    expect(
      intentOf({
        amount: { currency: 'USD', amount: 100 },
        notes: null,
        check_number: null,
        date: '2026-02-01',
      }),
    ).toEqual({ fields: {}, problems: [] });
  });

  it('has decimals and empty texts as records are read', () => {
    const contract: JsonObject = { retainage_percent: '5.5', title: null, number: 'SC-1' };
    const { fields, restated } = canonicalIntent('contract', contract, {
      retainage_percent: '05.50',
      title: '',
      number: '',
    });
    expect([...fields]).toEqual([['number', null]]);
    expect([...restated]).toEqual([['retainage_percent', '5.5']]);
    const address = (before: JsonObject | null, patch: JsonObject) =>
      canonicalIntent('customer', { address: before }, { address: patch }).fields.get('address');
    expect(address(null, { city: '', line2: null })).toBeUndefined();
    expect(address({ city: 'Doha' }, { city: '' })).toBeNull();
    expect(address({ city: 'Doha' }, { state: '' })).toEqual({ city: 'Doha', state: null });
    expect(address({ city: 'Doha' }, {})).toBeUndefined();
    expect(address(null, { town: '' })).toEqual({ town: '' });
  });

  it('says which present values the patch names again', () => {
    const patch = { amount: { amount: 100 }, notes: null, date: '2026-02-01', status: 'paid' };
    const { restated } = canonicalIntent('payment', payment, patch);
    expect([...restated]).toEqual([
      ['amount', { amount: 100, currency: 'USD' }],
      ['date', '2026-02-01'],
    ]);
  });

  it('names each own field that the customer does not have', () => {
    const { unknown } = canonicalIntent('payment', payment, { custom: { colour: 'red', size: 1 } });
    expect(unknown).toEqual([
      { path: 'custom.colour', problem: 'is no field of a payment' },
      { path: 'custom.size', problem: 'is no field of a payment' },
    ]);
  });

  it('keeps the order of the type, whatever the patch’s', () => {
    const { fields } = canonicalIntent('payment', payment, { notes: 'x', date: '2026-03-01' });
    expect([...fields.keys()]).toEqual(['date', 'notes']);
  });

  it('merges into what an object holds', () => {
    expect(intentOf({ amount: { amount: 200 } }).fields).toEqual({
      amount: { amount: 200, currency: 'USD' },
    });
    const customer: JsonObject = { address: { line1: 'x', city: 'y' } };
    const { fields } = canonicalIntent('customer', customer, { address: { city: null } });
    expect(fields.get('address')).toEqual({ line1: 'x', city: null });
  });

  it('names every value that does not fit', () => {
    expect(intentOf({ amount: { amount: 1.5 }, date: 'tomorrow', notes: 'fine' })).toEqual({
      fields: { amount: { amount: 1.5, currency: 'USD' }, date: 'tomorrow', notes: 'fine' },
      problems: ['amount', 'date'],
    });
  });
});

describe('problemOf', () => {
  const { amount, status, notes, invoice_id } = fieldsOf('payment');
  const { name, currency } = fieldsOf('customer');
  const cases = [
    ['money cleared', amount, null, 'cannot be cleared'],
    ['a word cleared', status, null, 'cannot be cleared'],
    ['text cleared', notes, null, undefined],
    ['blank text', notes, '', undefined],
    ['a name cleared', name, null, 'cannot be cleared'],
    ['a blank name', name, '', 'cannot be cleared'],
    ['a name of spaces', name, ' \t\u00a0', 'cannot be cleared'],
    ['a name', name, 'x', undefined],
    ['a code that is no currency', currency, 'ABC', 'expected an ISO 4217 currency code'],
    ['a word that is not listed', status, 'banana', expect.stringContaining('expected one of pending')],
    ['a word that is read-only', status, 'unknown', expect.stringContaining('expected one of')],
    ['an ID of the type', invoice_id, 'inv_0123456789abcdef', undefined],
    ['an ID of another type', invoice_id, 'pay_0123456789abcdef', 'expected the canonical ID of an invoice'],
    ['no ID at all', invoice_id, 7, 'expected the canonical ID of an invoice'],
  ] as const;

  it.each(cases)('of %s', (_, field, value, problem) => {
    if (field === undefined) throw new Error('The type has lost the field.');
    expect(problemOf(field, value)).toEqual(problem);
  });
});

describe('refuseUnknownFields', () => {
  it.each(['id', 'object', 'external_ids', 'provider_metadata', 'colour', 'toString', 'hasOwnProperty', ''])(
    'refuses %j',
    (name) => {
      expect(() => refuseUnknownFields('payment', { [name]: 1 })).toThrow(`data.${name}: `);
    },
  );

  it('says whether the field is not for clients, or no field at all', () => {
    const refuse = (patch: JsonObject) => () => refuseUnknownFields('invoice', patch);
    expect(refuse({ id: 1 })).toThrow('data.id: is not for clients to write');
    expect(refuse({ colour: 1 })).toThrow('data.colour: is no field of an invoice');
    expect(refuse({ custom: 1 })).toThrow('data.custom: expected an object with own fields');
    expect(refuse({ custom: { colour: 1 } })).not.toThrow();
  });

  it('names each field, the first 20 of many', () => {
    const refuse = (patch: JsonObject) => () => refuseUnknownFields('invoice', patch);
    expect(refuse({ id: 1, number: 'x', colour: 1, custom: 1 })).toThrow(
      'Invalid input: data.id: is not for clients to write; data.colour: is no field of an invoice; ' +
        'data.custom: expected an object with own fields',
    );
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`f${at}`, 1]));
    expect(refuse(many)).toThrow(/data\.f0: .*data\.f19: is no field of an invoice; and 5 more$/);
  });

  it('takes every field of the type, writable or not', () => {
    for (const name of Object.keys(fieldsOf('payment'))) {
      expect(() => refuseUnknownFields('payment', { [name]: 1 })).not.toThrow();
    }
  });
});
