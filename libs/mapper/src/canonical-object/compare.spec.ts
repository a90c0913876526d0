import type { JsonObject } from '../json/json-value';
import type { PlatformCopy } from './assemble';
import { ComparedRecords } from './compare';

const context = { inheritedCurrency: 'USD', localCurrency: 'QAR', references: {}, variant: null };
const onA = (payload: JsonObject, more: Partial<PlatformCopy> = {}): PlatformCopy => ({
  ...{ platform: 'platform_a', platformId: '1', payload, ...context, ...more },
});
const onB = (payload: JsonObject, more: Partial<PlatformCopy> = {}): PlatformCopy => ({
  ...{ platform: 'platform_b', platformId: 'b1', payload, ...context, ...more },
});
const payment = (...copies: readonly PlatformCopy[]) =>
  new ComparedRecords({ id: 'pay_0123456789abcdef', entityType: 'payment', copies, extra: {} });

const usd = (amount: number) => ({ amount, currency: 'USD' });

describe('two records of one thing', () => {
  const differing = payment(
    onA({ amount: '100.00', check_number: 'CHK-1', date: '2026-02-01', notes: 'one', status: 'Pending' }),
    onB({ amount: -364, currencyCode: 'QAR', externalDocumentNumber: 'CHK-2', comment: null }),
  );

  it('differ in what both say differently, each with its native field', () => {
    expect(differing.differences('platform_a', 'platform_b', [])).toEqual([
      {
        field: 'check_number',
        kind: 'differs',
        left: { platform: 'platform_a', canonical: 'CHK-1', path: 'check_number', native: 'CHK-1' },
        right: {
          platform: 'platform_b',
          canonical: 'CHK-2',
          path: 'externalDocumentNumber',
          native: 'CHK-2',
        },
      },
    ]);
  });

  it('differ in amounts that are unequal at the rate', () => {
    const rates = [{ from: 'USD', to: 'QAR', rate: '3.65' }];
    expect(differing.differences('platform_a', 'platform_b', rates)[0]).toMatchObject({
      ...{ field: 'amount', kind: 'differs' },
      left: { canonical: usd(10_000), path: 'amount', native: '100.00' },
      right: { canonical: { amount: 36_400, currency: 'QAR' }, path: 'amount', native: -364 },
    });
    const inDollars = payment(onA({ amount: '100.00' }), onB({ amount: -99, currencyCode: 'USD' }));
    expect(inDollars.differences('platform_a', 'platform_b', [])).toMatchObject([{ kind: 'differs' }]);
  });

  it('cannot be compared in amounts without a rate between their currencies', () => {
    const inEuros = payment(onA({ amount: '100.00' }), onB({ amount: -90, currencyCode: 'EUR' }));
    expect(inEuros.differences('platform_a', 'platform_b', [])).toMatchObject([
      { field: 'amount', kind: 'no_rate' },
    ]);
    const rates = [{ from: 'USD', to: 'EUR', rate: '0.8' }];
    expect(inEuros.differences('platform_a', 'platform_b', rates)).toMatchObject([{ kind: 'differs' }]);
  });

  it('do not differ where one of them is not there', () => {
    const alone = payment(onA({ check_number: 'CHK-1' }));
    expect(alone.differences('platform_a', 'platform_b', [])).toEqual([]);
    expect(alone.differences('platform_b', 'platform_a', [])).toEqual([]);
    expect(alone.fields('platform_b', 'platform_a', [])).toEqual([
      {
        ...{ field: 'check_number', same: null },
        readings: [{ platform: 'platform_a', canonical: 'CHK-1', path: 'check_number', native: 'CHK-1' }],
      },
    ]);
  });

  it('have the fields of which one says something, and say whether they are the same', () => {
    const fields = differing.fields('platform_a', 'platform_b', []);
    expect(fields.map(({ field, same, readings }) => [field, same, readings.length])).toEqual([
      ['amount', true, 2],
      ['status', true, 2],
      ['date', null, 1],
      ['check_number', false, 2],
      ['notes', null, 1],
    ]);
    expect(fields[1]?.readings).toEqual([
      { platform: 'platform_a', canonical: 'pending', path: 'status', native: 'Pending' },
      // No field of the record says it.
      { platform: 'platform_b', canonical: 'pending', path: null, native: null },
    ]);
  });

  it('say what follows from the records around them, without a field of their own', () => {
    const derived = { invoice_number: 'INV-1' };
    const [field] = payment(onA({ invoice_number: 'INV-0' }, { derived }))
      .fields('platform_a', 'platform_b', [])
      .filter(({ field }) => field === 'invoice_number');
    expect(field?.readings).toEqual([
      { platform: 'platform_a', canonical: 'INV-1', path: null, native: null },
    ]);
    const [own] = payment(onA({ invoice_number: 'INV-0' }, { derived: {} })).fields(
      ...(['platform_a', 'platform_b', []] as const),
    );
    expect(own?.readings).toEqual([
      { platform: 'platform_a', canonical: 'INV-0', path: 'invoice_number', native: 'INV-0' },
    ]);
  });
});

describe('a record of an object', () => {
  const record = payment(onA({ amount: '1.005', notes: 'x', date: '2026-02-01', check_number: null }));

  it('shows its money, its text and its days where it has them', () => {
    const readable = payment(onA({ amount: '1.00' }));
    expect(readable.moneyOf('platform_a', 'amount')).toEqual(usd(100));
    expect(readable.moneyOf('platform_b', 'amount')).toBeNull();
    expect(record.moneyOf('platform_a', 'amount')).toBeNull();
    expect(record.textOf('platform_a', 'notes')).toBe('x');
    expect(record.textOf('platform_a', 'check_number')).toBeNull();
    expect(record.textOf('platform_b', 'notes')).toBeNull();
    expect(record.dateOf('platform_a', 'date')).toBe('2026-02-01');
    expect(record.dateOf('platform_a', 'notes')).toBeNull();
    expect(record.dateOf('platform_a', 'check_number')).toBeNull();
    expect(record.dateOf('platform_b', 'date')).toBeNull();
  });

  it('shows a native value that cannot be read, and names the field', () => {
    expect(record.nativeOf('platform_a', 'amount')).toBe('1.005');
    expect(record.nativeOf('platform_a', 'description')).toBeNull();
    expect(record.nativeOf('platform_b', 'amount')).toBeNull();
    expect(record.issues).toEqual([
      {
        ...{ platform: 'platform_a', path: 'amount', native: '1.005' },
        problem: expect.stringContaining('more decimals') as string,
      },
    ]);
  });

  it('shows an amount that cannot be read with the currency that the record names', () => {
    const unknown = payment(onA({ amount: 'ten' }), onB({ amount: -10, currencyCode: 'ZZZ' }));
    expect(unknown.unreadMoneyOf('platform_a', 'amount')).toEqual(['ten', null]);
    expect(unknown.unreadMoneyOf('platform_b', 'amount')).toEqual([-10, 'ZZZ']);
    expect(
      ['amount', 'currencyCode', 'comment'].map((path) => unknown.isAt('platform_b', 'amount', path)),
    ).toEqual([true, true, false]);
    const read = payment(onA({ amount: '10.00' }), onB({ currencyCode: 'ZZZ' }));
    expect(read.unreadMoneyOf('platform_a', 'amount')).toBeUndefined();
    expect(read.unreadMoneyOf('platform_b', 'amount')).toBeUndefined();
  });

  it('has an unknown currency where it has an amount, and names a currency that does not exist', () => {
    const unknown = payment(onA({ amount: '1.00' }), onB({ amount: -1, currencyCode: 'ZZZ' }));
    expect(unknown.hasUnknownCurrency('platform_a', 'amount')).toBe(false);
    expect(unknown.hasUnknownCurrency('platform_b', 'amount')).toBe(true);
    expect(unknown.hasUnknownCurrency('platform_b', 'description')).toBe(false);
    const nameless = payment(onB({ amount: null, currencyCode: null }));
    expect(nameless.hasUnknownCurrency('platform_b', 'amount')).toBe(false);
    expect(nameless.hasUnknownCurrency('platform_a', 'amount')).toBe(false);
  });
});
