import { CountChanges, hourOf } from './case-counts.repository';
import { NewCases } from './case-rows.repository';
import type { ComparedResult } from '../compared-rows';
import { NewPairs } from './comparisons.repository';
import { timeOf } from './replaced-rows';

const page = { customerId: 'customer', mark: '2026-03-01 00:00:00+00', counted: true };
const OPENED = 1_767_225_600_123_456; // 2026-01-01T00:00:00.123456Z
const undated = { date: null, due: null };
const amount = { amount: 1000, currency: 'USD' };

const [left, right] = ['platform_a', 'platform_b'] as const;
const result: ComparedResult = {
  object: { id: 'pay_1', entityType: 'payment' },
  pairs: [
    {
      ...{ left, right, state: 'only_left', amounts: undefined, differences: [] },
      ...{ leftAmount: amount, rightAmount: null, leftProject: 'pro_1', rightProject: null },
      ...{ leftDates: { date: '2026-01-31', due: null }, rightDates: undated, openedAt: OPENED },
    },
  ],
  cases: [
    {
      ...{
        left,
        right,
        id: 'case_pay_1',
        item: 'only',
        kind: 'only_on',
        platform: left,
        platformId: 'a\t1',
      },
      ...{ field: null, projectId: 'pro_1', leftCurrency: 'USD', rightCurrency: null, difference: -1000n },
      ...{ openedAt: OPENED, documentDate: '2026-01-31', dueDate: null, listedFrom: '2026-01-31' },
      ...{ listedBefore: null, detail: { number: 'CHK-1' }, valuesDigest: 'values' },
    },
  ],
};

const textOf = (lines: readonly Buffer[]): string => Buffer.concat([...lines]).toString();
const digestIn = (lines: readonly Buffer[]): string => textOf(lines).trimEnd().split('\t').at(-2) ?? '';

describe('the new comparisons of a page', () => {
  const keys = { object_id: 'pay_1', left_platform: 'platform_a', right_platform: 'platform_b' };
  const added = (stored: ConstructorParameters<typeof NewPairs>[1]) => {
    const pairs = new NewPairs(page, stored);
    pairs.add(result);
    return pairs.end();
  };

  it('are lines with each column, in force from the mark', () => {
    expect(textOf(added([]).lines).split('\t')).toEqual([
      ...['customer', 'pay_1', 'platform_a', 'platform_b', 'payment', 'only_left', '\\N', '1000', 'USD'],
      ...['\\N', '\\N', 'pro_1', '\\N', '2026-01-31', '\\N', '\\N', '\\N', '2026-01-01T00:00:00.123456Z'],
      ...[expect.stringMatching(/^[\w-]{22}$/), '2026-03-01 00:00:00+00\n'],
    ]);
  });

  it('are none where an equal row is stored', () => {
    const digest = digestIn(added([]).lines);
    expect(added([{ ...keys, digest }])).toEqual({ gone: [], lines: [] });
  });

  it.each(['another', null])('replace a stored row with the digest %s', (digest) => {
    const { gone, lines } = added([{ ...keys, digest }]);
    expect(gone).toEqual([{ ...keys, digest }]);
    expect(textOf(lines)).toContain('pay_1');
  });

  it('end a stored row of an object that has none any more', () => {
    const gone = { ...keys, object_id: 'pay_2', digest: 'any' };
    expect(added([gone]).gone).toEqual([gone]);
  });
});

describe('the new cases of a page', () => {
  const added = (stored: ConstructorParameters<typeof NewCases>[1], counted = true) => {
    const cases = new NewCases({ ...page, counted }, stored);
    cases.add(result);
    return cases.end();
  };

  it('are lines with each column, which weigh as much as their difference', () => {
    expect(textOf(added([]).lines).split('\t')).toEqual([
      ...['customer', 'case_pay_1', 'pay_1', 'platform_a', 'platform_b', 'only_on', 'payment', 'platform_a'],
      ...['a\\t1', '\\N', 'pro_1', 'USD', '\\N', '-1000', '1000', '2026-01-01T00:00:00.123456Z'],
      ...['2026-01-31', '\\N', '2026-01-31T00:00:00Z', '2026-01-31T00:00:00Z', '2026-01-31', '\\N'],
      ...['{"number":"CHK-1"}', 'values', expect.stringMatching(/^[\w-]{22}$/), '2026-03-01 00:00:00+00\n'],
    ]);
  });

  it('are none where an equal row is stored', () => {
    const digest = digestIn(added([]).lines);
    const stored = [{ id: 'case_pay_1', object_id: 'pay_1', digest }];
    expect(added(stored)).toMatchObject({ gone: [], ids: [], lines: [], counts: { rows: [] } });
  });

  it('replace a stored row with other values, and end one that is not made again', () => {
    const other = { id: 'case_other', object_id: 'pay_1', digest: 'any' };
    const { gone, ids } = added([{ id: 'case_pay_1', object_id: 'pay_1', digest: 'any' }, other]);
    expect({ gone, ids }).toEqual({ gone: [other], ids: ['case_pay_1'] });
  });

  it('are counted by what lists choose by and the hour in which they were opened, if cases are', () => {
    expect(added([]).counts?.rows).toEqual([
      {
        key: expect.objectContaining({
          ...{ platform: 'platform_a', field: '', project_id: 'pro_1', opened_hour: '1767225600' },
        }) as unknown,
        cases: 1,
      },
    ]);
    expect(added([], false).counts).toBeUndefined();
  });
});

describe('changes of counts', () => {
  const key = {
    ...{ left_platform: 'platform_a', right_platform: 'platform_b', kind: 'only_on', entity_type: 'payment' },
    ...{ platform: '', field: '', project_id: '', left_currency: '', right_currency: '' },
    ...{ opened_hour: '0', is_listed: true, owner: '', is_accepted: false, accepted_until: 'infinity' },
  };

  it('are none where as many cases come as go', () => {
    const changes = new CountChanges();
    changes.add(key);
    changes.remove({ ...key });
    expect(changes.rows).toEqual([]);
  });

  it('leave out cases that only lists up to a day show', () => {
    const changes = new CountChanges();
    changes.add({ ...key, is_listed: false });
    expect(changes.rows).toEqual([]);
  });
});

describe('times of microseconds', () => {
  it.each([
    [0, '1970-01-01T00:00:00.000000Z'],
    [1_767_225_600_000_007, '2026-01-01T00:00:00.000007Z'],
    [1_767_225_600_999_999, '2026-01-01T00:00:00.999999Z'],
  ])('of %d is %s', (microseconds, time) => {
    expect(timeOf(microseconds)).toBe(time);
  });

  it('begin the hour of UTC that they are in', () => {
    const hour = Date.parse('2026-01-01T05:00:00Z') / 1_000;
    expect(hourOf(hour * 1_000_000)).toBe(String(hour));
    expect(hourOf((hour + 3_600) * 1_000_000 - 1)).toBe(String(hour));
  });
});
