import type { JsonArray, JsonObject } from '@app/mapper';
import { differenceOf } from './difference';
import type { ShownState } from './shown-state';

const onA = { platform: 'platform_a', platform_id: '1' } as const;
const onB = { platform: 'platform_b', platform_id: 'b' } as const;

function state(object: JsonObject, more: Partial<ShownState> = {}): ShownState {
  return {
    object: { id: 'pay_1', object: 'payment', ...object },
    records: [onA],
    version: () => '',
    disagreeing: [],
    otherValues: {},
    isBookkeeping: (_platform, field) => field.startsWith('@'),
    linesOn: () => undefined,
    ...more,
  };
}

const native = (fields: JsonObject, literals: JsonObject = {}) =>
  state({ provider_metadata: { platform_a: { fields, literals } } });

describe('the difference of two states', () => {
  it('has each field with its values, and leaves out the value of a field that was or is absent', () => {
    const [before, after] = [
      state({ notes: 'one', date: '2026-02-01' }),
      state({ notes: 'two', status: null }),
    ];
    expect(differenceOf(before, after)).toEqual({
      fields: [
        { field: 'notes', before: 'one', after: 'two' },
        { field: 'date', before: '2026-02-01' },
        { field: 'status', after: null },
      ],
    });
  });

  it.each<[string, ShownState | undefined, ShownState | undefined]>([
    ['nothing at all', undefined, undefined],
    ['the same', state({ notes: 'one' }), state({ notes: 'one' })],
    ['a stamp', state({ updated_at: '1' }), state({ updated_at: '2' })],
    ['what a platform keeps for itself', native({ '@tag': '1' }), native({ '@tag': '2' })],
    ['how such a thing is spelt', native({}, { '@tag': '1' }), native({}, { '@tag': '2' })],
  ])('does not show where it is %s', (_name, before, after) => {
    expect(differenceOf(before, after)).toBeUndefined();
  });

  it('has a stamp beside what shows', () => {
    const [before, after] = [
      state({ updated_at: '1', notes: 'one' }),
      state({ updated_at: '2', notes: 'two' }),
    ];
    expect(differenceOf(before, after)?.fields.map(({ field }) => field)).toEqual(['updated_at', 'notes']);
  });

  it('has the native fields that changed, and no others', () => {
    const difference = differenceOf(
      native({ flag: 'Red', kept: 1, '@tag': '1' }),
      native({ flag: 'Blue', kept: 1, '@tag': '2' }),
    );
    expect(difference?.fields).toEqual([
      {
        field: 'provider_metadata.platform_a',
        before: { fields: { flag: 'Red' } },
        after: { fields: { flag: 'Blue' } },
      },
    ]);
  });

  const lined = (...lines: JsonArray) =>
    state(
      { provider_metadata: { platform_a: { fields: {} } } },
      { linesOn: () => ({ list: 'rows', lines, isComputed: (member) => member.startsWith('@') }) },
    );
  const linesOf = (before: ShownState, after: ShownState) =>
    differenceOf(before, after)?.fields.map(({ field, ...values }) => [field, values]);

  it('has the lines that changed on a platform, each with its ID and what changed', () => {
    const before = lined({ id: 1, price: 10, '@tag': 'x' }, { id: 2, price: 20 }, { id: 3, price: 30 });
    const after = lined({ id: 4, price: 40 }, { id: 1, price: 11, '@tag': 'y' }, { id: 2, price: 20 });
    expect(linesOf(before, after)).toEqual([
      [
        'provider_metadata.platform_a',
        {
          before: {
            lines: {
              rows: [
                { id: 1, price: 10 },
                { id: 3, price: 30 },
              ],
            },
          },
          after: {
            lines: {
              rows: [
                { id: 1, price: 11 },
                { id: 4, price: 40 },
              ],
            },
          },
        },
      ],
    ]);
  });

  it('compares lines without an ID of their own by their places', () => {
    const [before, after] = [
      lined({ id: 1, price: 10 }, { id: 1, price: 20 }, { price: 30 }),
      lined({ id: 1, price: 10 }, { id: 1, price: 21 }, { price: 31 }),
    ];
    expect(linesOf(before, after)).toMatchObject([
      [
        'provider_metadata.platform_a',
        {
          before: { lines: { rows: [{ id: 1, price: 20 }, { price: 30 }] } },
          after: { lines: { rows: [{ id: 1, price: 21 }, { price: 31 }] } },
        },
      ],
    ]);
  });

  it('has fifty changed lines at most, and how many more there are', () => {
    const priced = (price: number) => lined(...Array.from({ length: 5_000 }, (_, id) => ({ id, price })));
    const [field] = differenceOf(priced(1), priced(2))?.fields ?? [];
    const after = {
      lines: { rows: Array.from({ length: 50 }, (_, id) => ({ id, price: 2 })) },
      more_lines: 4_950,
    };
    expect(field?.after).toEqual(after);
    expect(field?.before).toMatchObject({ more_lines: 4_950 });
  });

  it('does not show lines in which only what a platform computes has changed, or their order', () => {
    const [before, after] = [
      lined({ id: 1, '@tag': 'x' }, { id: 2 }),
      lined({ id: 2 }, { id: 1, '@tag': 'y' }),
    ];
    expect(differenceOf(before, after)).toBeUndefined();
  });

  it('has records that came and went', () => {
    const alone = state({ notes: 'one' });
    const linked = state({ notes: 'one' }, { records: [onA, onB] });
    expect(differenceOf(alone, linked)).toEqual({
      fields: [],
      records: { before: [onA], after: [onA, onB] },
    });
    expect(differenceOf(linked, alone)).toEqual({
      fields: [],
      records: { before: [onA, onB], after: [onA] },
    });
  });

  it('of what appears has every field, and of what disappears none', () => {
    const one = state({ notes: 'one' }, { disagreeing: ['date'] });
    expect(differenceOf(undefined, one)).toEqual({
      fields: [{ field: 'notes', after: 'one' }],
      records: { before: [], after: [onA] },
      disagreements: { appeared: ['date'], settled: [] },
    });
    expect(differenceOf(one, undefined)).toEqual({ fields: [], records: { before: [onA], after: [] } });
  });

  it('has a disagreement that goes on with another value, and none that goes on as it was', () => {
    const [before, after] = [1, 2].map((amount) =>
      state(
        {},
        {
          disagreeing: ['amount', 'notes'],
          otherValues: { amount: { platform_b: amount }, notes: { platform_b: 'x' } },
        },
      ),
    );
    expect(differenceOf(before, after)).toEqual({
      fields: [],
      disagreements: { appeared: [], settled: [], changed: ['amount'] },
    });
    expect(differenceOf(before, before)).toBeUndefined();
  });

  it('has disagreements that appeared and were settled', () => {
    const [before, after] = [
      ['date', 'notes'],
      ['notes', 'amount'],
    ].map((disagreeing) => state({}, { disagreeing }));
    expect(differenceOf(before, after)).toEqual({
      fields: [],
      disagreements: { appeared: ['amount'], settled: ['date'] },
    });
  });
});
