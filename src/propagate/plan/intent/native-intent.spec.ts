import {
  isJsonObject,
  parseJsonText,
  type JsonObject,
  type PlatformName,
  type StoredEntityType,
} from '@app/mapper';
import { copyState } from '../state/copy-state';
import { nativeIntent, refuseSeveralLines } from './native-intent';

const onA = {
  amount: '100.00',
  check_number: 'CHK-1',
  requisition_id: 5,
  invoice_number: 'INV-1',
  date: null,
};
const onB = {
  amount: -364,
  currencyCode: 'QAR',
  externalDocumentNumber: 'CHK-1',
  comment: '',
  blob: { x: 1 },
};

function stateOf(
  platform: PlatformName,
  entityType: StoredEntityType,
  payload: JsonObject,
  references: Readonly<Record<string, string>> = {},
) {
  return copyState(
    {
      platform,
      platformId: '1',
      variant: entityType === 'contract' && platform === 'platform_a' ? 'WorkOrderContract' : null,
      payload,
      payloadText: '',
      known: payload,
      accepted: null,
      inheritedCurrency: 'USD',
      localCurrency: 'QAR',
      references,
    },
    entityType,
  );
}

function intentOf(
  platform: PlatformName,
  patch: JsonObject,
  payload = platform === 'platform_a' ? onA : onB,
) {
  const intent = nativeIntent('payment', stateOf(platform, 'payment', payload), patch);
  return {
    changes: Object.fromEntries(intent.changes.map(({ path, value }) => [path.join('/'), value])),
    fields: Object.fromEntries(intent.fields),
    references: Object.fromEntries(intent.references),
    problems: intent.problems,
    paths: Object.fromEntries(intent.paths),
  };
}

const nothing = { changes: {}, fields: {}, references: {}, problems: [], paths: {} };

describe('nativeIntent', () => {
  it('reads the canonical fields that change with native ones', () => {
    expect(intentOf('platform_a', { amount: '5.00', x: 1 })).toEqual({
      ...nothing,
      changes: { amount: '5.00', x: 1 },
      fields: { amount: { amount: 500, currency: 'USD' } },
      paths: { amount: 'amount' },
    });
  });

  it('is nothing where the record has the values already', () => {
    expect(intentOf('platform_a', { amount: '100.00', requisition_id: 5, date: null })).toEqual(nothing);
    expect(intentOf('platform_b', { blob: { x: 1 } })).toEqual(nothing);
  });

  it('keeps another spelling of a value for the platform alone', () => {
    expect(intentOf('platform_a', { amount: '100.0' })).toEqual({ ...nothing, changes: { amount: '100.0' } });
  });

  it('clears a value, and changes nothing if there is none', () => {
    expect(intentOf('platform_a', { never_there: null, custom: { nor_this: null } })).toEqual(nothing);
    expect(intentOf('platform_b', { blob: { x: null, y: null } }).changes).toEqual({ 'blob/x': null });
  });

  it('drops a code that the platform folds into its present value', () => {
    expect(intentOf('platform_b', { externalDocumentNumber: ' chk-1 ', comment: 'x' })).toEqual({
      ...nothing,
      changes: { comment: 'x' },
      fields: { notes: 'x' },
      paths: { notes: 'comment' },
    });
    // A platform that preserves the case of letters gets the change.
    expect(intentOf('platform_a', { check_number: 'chk-1' }).fields).toEqual({ check_number: 'chk-1' });
  });

  it('reads an amount in the currency that comes with it', () => {
    expect(intentOf('platform_b', { currencyCode: 'AED' })).toMatchObject({
      fields: { amount: { amount: 36400, currency: 'AED' } },
      paths: { amount: 'currencyCode' },
    });
  });

  it('has the record that a reference names, the best source first', () => {
    expect(intentOf('platform_a', { requisition_id: 7 }).references).toMatchObject({
      invoice_id: { by: 'id', value: '7' },
    });
    // The number still identifies the invoice.
    expect(intentOf('platform_a', { requisition_id: null }).references).toMatchObject({
      invoice_id: { by: 'key', value: 'INV-1' },
    });
    expect(intentOf('platform_a', { requisition_id: null, invoice_number: null }).references).toEqual({
      invoice_id: undefined,
    });
  });

  it('has no other record where a reference is only spelled differently', () => {
    expect(intentOf('platform_a', { requisition_id: '5' })).toEqual({
      ...nothing,
      changes: { requisition_id: '5' },
    });
    const byNumber = { ...onA, requisition_id: null };
    expect(intentOf('platform_a', { invoice_number: ' inv-1 ' }, byNumber as never).references).toEqual({});
    expect(intentOf('platform_a', { invoice_number: 'INV-2' }, byNumber as never).references).toMatchObject({
      invoice_id: { by: 'key', value: 'INV-2' },
    });
  });

  it('keeps apart what is stated once more: present values, and references by canonical ID', () => {
    const restated = (platform: PlatformName, payload: JsonObject, patch: JsonObject) => {
      const state = stateOf(platform, 'payment', payload, { invoice_id: 'inv_1' });
      return Object.fromEntries(nativeIntent('payment', state, patch).restated);
    };
    const amount = { amount: 10_000, currency: 'USD' };
    expect(restated('platform_a', onA, { amount: '100.00', requisition_id: 5, date: null, x: 1 })).toEqual({
      amount,
      invoice_id: 'inv_1',
    });
    expect(restated('platform_a', onA, { amount: '100.0', requisition_id: '5' })).toEqual({
      amount,
      invoice_id: 'inv_1',
    });
    expect(restated('platform_b', onB, { externalDocumentNumber: ' chk-1 ' })).toEqual({
      check_number: 'CHK-1',
    });
    expect(restated('platform_a', onA, { amount: '5.00', requisition_id: 7 })).toEqual({});
  });

  it('names values that do not fit by the path that was written', () => {
    const { problems } = intentOf('platform_a', { amount: '1.005', date: 5, check_number: {} });
    expect(problems.map(({ path }) => path).sort()).toEqual(['amount', 'check_number', 'date']);
    expect(intentOf('platform_b', { comment: 'x'.repeat(251) }).problems).toEqual([
      { path: 'comment', problem: expect.stringContaining('250') },
    ]);
    expect(intentOf('platform_b', { amount: null }).problems).toEqual([
      { path: 'amount', problem: 'cannot be cleared' },
    ]);
  });

  it('says of a currency what does not fit of the amount that stands', () => {
    const standing = { id: 'x', amount: -0.1, currencyCode: 'QAR' };
    const { problems, fields } = nativeIntent('payment', stateOf('platform_b', 'payment', standing), {
      currencyCode: 'JPY',
    });
    expect(problems).toEqual([{ path: 'currencyCode', problem: '"-0.1" has more decimals than JPY allows' }]);
    expect([...fields]).toEqual([['amount', null]]);
  });

  it('ignores earlier problems in fields that the change does not touch', () => {
    const { problems, fields } = intentOf('platform_a', { check_number: 'CHK-2' }, {
      ...onA,
      date: 'whenever',
    } as never);
    expect({ problems, fields }).toEqual({ problems: [], fields: { check_number: 'CHK-2' } });
  });

  it('takes a literal that is not listed, as unknown', () => {
    const intent = nativeIntent('contract', stateOf('platform_a', 'contract', { status: 'Draft' }), {
      status: 'Parked',
    });
    expect([...intent.fields]).toEqual([['status', 'unknown']]);
    expect(intent.problems).toEqual([]);
  });

  it('names a path as it was written', () => {
    const contract = stateOf('platform_a', 'contract', { vendor: { id: 5, company: 'x' } });
    expect([...nativeIntent('contract', contract, { vendor_id: 6 }).paths]).toEqual([
      ['customer_id', 'vendor_id'],
    ]);
    expect(nativeIntent('contract', contract, { vendor_id: true }).problems).toEqual([
      { path: 'vendor_id', problem: expect.any(String) },
    ]);
  });

  it('sets a member named __proto__ like any other', () => {
    const patch = parseJsonText('{"__proto__":{"x":1}}');
    if (!isJsonObject(patch)) throw new Error('no object');
    expect(intentOf('platform_a', patch).changes).toEqual({ '__proto__/x': 1 });
  });
});

describe('refuseSeveralLines', () => {
  it('accepts a record that has no lines', () => {
    expect(() => refuseSeveralLines(stateOf('platform_a', 'payment', onA), 'amount')).not.toThrow();
  });

  const refuse = (line_items: JsonObject[] | undefined) => () =>
    refuseSeveralLines(
      stateOf('platform_a', 'contract', { grand_total: '1.00', ...(line_items && { line_items }) }),
      'amount',
    );

  it('accepts no list, an empty list, and one line', () => {
    for (const lines of [undefined, [], [{ id: 1 }]]) expect(refuse(lines)).not.toThrow();
  });

  it('names several lines, by their position if they have no ID', () => {
    expect(refuse([{ id: 11 }, { id: 'b' }, {}])).toThrow(
      'data.amount: is the sum of 3 lines on platform_a (line_items 11, b, #3); change those there',
    );
    expect(refuse([{ id: 1 }, { id: 2 }])).toThrow('is the sum of 2 lines on platform_a (line_items 1, 2);');
  });

  it('names twenty lines and says how many more there are', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, place) => ({ id: place + 1 }));
    expect(refuse(lines(20))).toThrow('19, 20);');
    expect(refuse(lines(22))).toThrow('19, 20 and 2 more);');
  });
});
