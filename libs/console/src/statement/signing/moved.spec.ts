import type { Statement } from '../../data/queries';
import { movedFigures } from './moved';

const usd = (amount: number) => ({ amount, currency: 'USD' });
const sum = (platform: 'platform_a' | 'platform_b', amount: number) => ({
  platform,
  records: 1,
  summed: 1,
  without_amount: 0,
  sum: usd(amount),
});

function statement(of: {
  readonly disagree?: number;
  readonly to?: number;
  readonly qar?: number;
}): Statement {
  const { disagree = 0, to = 100, qar } = of;
  const accepted = { objects: 0, amount: usd(0) };
  return {
    as_of: '2026-06-30T10:00:00.123456Z',
    complete: true,
    reasons: [],
    platforms: ['platform_a', 'platform_b'],
    currency: 'USD',
    project_id: null,
    through: null,
    rates: [],
    missing_rates: [],
    digest: 'sha256:0',
    types: [
      {
        entity_type: 'payment',
        counts: {
          agree: 1,
          disagree,
          only_on: { platform_a: 0, platform_b: 0 },
          ambiguous: 0,
          accepted: 0,
          deleted: { platform_a: 0, platform_b: 0 },
        },
        ages: { '0-30': 0, '31-60': 0, '61-90': 0, 'over-90': 0 },
        totals: {
          from: sum('platform_a', 100),
          lines: [{ cause: 'amounts_disagree', objects: disagree, amount: usd(to - 100), accepted }],
          to: sum('platform_b', to),
          outside:
            qar === undefined
              ? []
              : [{ platform: 'platform_a', records: 1, sum: { amount: qar, currency: 'QAR' } }],
        },
      },
    ],
  };
}

const told = (before: Statement, now: Statement) =>
  movedFigures(before, now).map(({ line, platform, before: was, after }) => [
    line,
    platform,
    [was.count, was.amount?.amount],
    [after.count, after.amount?.amount],
  ]);

describe('movedFigures', () => {
  it('are none between equal books, whenever they were read', () => {
    expect(movedFigures(statement({}), { ...statement({}), as_of: '2026-07-01T00:00:00Z' })).toEqual([]);
  });

  it('name each figure with both of its values', () => {
    expect(told(statement({}), statement({ disagree: 1, to: 120 }))).toEqual([
      ['disagree', null, [0, undefined], [1, undefined]],
      ['sum', 'platform_b', [1, 100], [1, 120]],
      ['amounts_disagree', null, [0, 0], [1, 20]],
    ]);
  });

  it('take a figure that only one has for zero in the other', () => {
    expect(told(statement({ qar: 5 }), statement({}))).toEqual([['outside', 'platform_a', [1, 5], [0, 0]]]);
    expect(told(statement({}), statement({ qar: 5 }))).toEqual([['outside', 'platform_a', [0, 0], [1, 5]]]);
  });
});
