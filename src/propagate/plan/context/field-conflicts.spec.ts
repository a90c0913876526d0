import { conflictsOf } from './field-conflicts';

const money = (amount: number) => ({ amount, currency: 'USD' });

describe('conflictsOf', () => {
  it('names the fields that changed since and the fields to change, with all three values', () => {
    const base = { amount: money(100), notes: 'a', status: 'draft' };
    const theirs = { amount: money(200), notes: 'a', date: '2026-02-01', status: 'draft' };
    const wanted = new Map([
      ['amount', money(300)],
      ['notes', null],
    ]);
    expect(conflictsOf(base, theirs, wanted)).toEqual([
      { field: 'amount', base: money(100), theirs: money(200), mine: money(300) },
      { field: 'date', base: null, theirs: '2026-02-01', mine: null },
      { field: 'notes', base: 'a', theirs: 'a', mine: null },
    ]);
  });

  it('leaves out stamps, which change with every write', () => {
    expect(conflictsOf({ updated_at: '1', created_at: '2' }, { updated_at: '3' }, new Map())).toEqual([]);
  });

  it('names only the fields to change if the version is not known', () => {
    expect(conflictsOf(undefined, { amount: money(200), notes: 'x' }, new Map([['notes', 'y']]))).toEqual([
      { field: 'notes', base: null, theirs: 'x', mine: 'y' },
    ]);
  });
});
