import { currencyCodes, ExactNumber, storedEntityTypes, stringifyJson } from '@app/mapper';
import { digestOfJson } from '../comparisons/digest';
import { causes, type TypeFigures } from './figures/figures';
import { statementFrom, type StatementParts } from './statement-record';

/** Bytes that a statement has at most, whatever the books; decision 61 has this number. */
const MOST_BYTES = 256 * 1024;

/** Larger than a customer's records can come to. */
const HUGE = 10n ** 30n;

const sum = { records: 1e9, summed: 1e9, withoutAmount: 1e9, amount: HUGE };

describe('a statement', () => {
  it.each([
    ['no rates', []],
    [
      'rates',
      currencyCodes.map((to) => ({
        from: 'USD',
        to,
        rate: '1'.repeat(40),
        setAt: '2026-01-01T00:00:00.000Z',
      })),
    ],
  ])('is a short answer in however many currencies the books are, with %s', (_name, rates) => {
    const statement = statementFrom({
      asOf: '2026-01-01T00:00:00.000000Z',
      scope: {
        left: 'platform_a',
        right: 'platform_b',
        types: storedEntityTypes,
        projectId: 'prj_0',
        currency: 'EUR',
        through: undefined,
        ageBy: 'seen',
      },
      figures: storedEntityTypes.map((entityType) => ({
        entityType,
        counts: {
          agree: 1e9,
          disagree: 1e9,
          only: { left: 1e9, right: 1e9 },
          ambiguous: { left: 1e9, right: 1e9 },
          accepted: 1e9,
        },
        ages: [1e9, 1e9, 1e9, 1e9],
        totals: {
          from: sum,
          lines: [],
          to: sum,
          outside: (['left', 'right'] as const).flatMap((side) =>
            currencyCodes.map((currency) => ({ side, currency, records: 1e9, amount: HUGE })),
          ),
        },
      })),
      deleted: new Map(),
      currencies: currencyCodes,
      rates,
      reasons: [],
    });
    const { rates: used, missing_rates: missing } = statement;
    expect(used.length + missing.length).toBe(currencyCodes.length - 1);
    expect(stringifyJson(statement).length).toBeLessThan(MOST_BYTES);
  });
});

describe('the figures of a statement', () => {
  const none = { objects: 0, amount: 0n };
  const payments: TypeFigures = {
    entityType: 'payment',
    counts: {
      agree: 9,
      disagree: 2,
      only: { left: 3, right: 4 },
      ambiguous: { left: 5, right: 6 },
      accepted: 1,
    },
    ages: [4, 3, 2, 1],
    totals: {
      from: { records: 8, summed: 7, withoutAmount: 1, amount: 100n },
      lines: causes.map((cause, place) => ({
        ...{ cause, objects: place, amount: BigInt(place) },
        accepted: cause === 'only_left' ? { objects: 2, amount: -5n } : none,
      })),
      to: { records: 6, summed: 5, withoutAmount: 0, amount: 145n },
      outside: [
        { side: 'left', currency: 'ISK', records: 1, amount: 2n ** 60n },
        { side: 'right', currency: 'EUR', records: 2, amount: 3n },
      ],
    },
  };
  const projects: TypeFigures = {
    entityType: 'project',
    counts: {
      agree: 1,
      disagree: 0,
      only: { left: 0, right: 0 },
      ambiguous: { left: 0, right: 0 },
      accepted: 0,
    },
    ages: [0, 0, 0, 0],
    totals: undefined,
  };
  const scope: StatementParts['scope'] = {
    left: 'platform_a',
    right: 'platform_b',
    types: ['project', 'payment'],
    projectId: undefined,
    currency: 'USD',
    through: undefined,
    ageBy: 'seen',
  };
  const setAt = '2026-01-02T00:00:00Z';
  const parts: StatementParts = {
    asOf: '2026-02-01T00:00:00Z',
    scope,
    figures: [projects, payments],
    deleted: new Map([['payment', new Map([['platform_b', 7]])]]),
    currencies: ['USD', 'QAR', 'EUR', 'GBP', 'ISK'],
    rates: [
      { from: 'USD', to: 'EUR', rate: '0.9', setAt },
      { from: 'USD', to: 'GBP', rate: '0.8', setAt },
      { from: 'GBP', to: 'USD', rate: '1.2', setAt: '2026-01-03T00:00:00Z' },
    ],
    reasons: [],
  };
  const usd = (amount: number) => ({ amount, currency: 'USD' });
  const causesOf = (changed: Partial<StatementParts['scope']>): readonly string[] => {
    const { types } = statementFrom({ ...parts, scope: { ...scope, ...changed } });
    return types[1]?.totals?.lines.map(({ cause }) => cause) ?? [];
  };

  it('stand under the platforms, with the sums of both and what lies between them', () => {
    const [ofProjects, ofPayments] = statementFrom(parts).types;
    expect(ofProjects).toMatchObject({
      ...{ entity_type: 'project', totals: null },
      counts: { agree: 1, deleted: { platform_a: 0, platform_b: 0 } },
    });
    expect(ofPayments).toMatchObject({
      entity_type: 'payment',
      counts: {
        ...{ agree: 9, disagree: 2, ambiguous: 11, accepted: 1 },
        only_on: { platform_a: 3, platform_b: 4 },
        deleted: { platform_a: 0, platform_b: 7 },
      },
      ages: { '0-30': 4, '31-60': 3, '61-90': 2, 'over-90': 1 },
      totals: {
        from: { platform: 'platform_a', records: 8, summed: 7, without_amount: 1, sum: usd(100) },
        to: { platform: 'platform_b', records: 6, summed: 5, without_amount: 0, sum: usd(145) },
        outside: [
          {
            ...{ platform: 'platform_a', records: 1 },
            sum: { amount: new ExactNumber('1152921504606846976'), currency: 'ISK' },
          },
          { platform: 'platform_b', records: 2, sum: { amount: 3, currency: 'EUR' } },
        ],
      },
    });
    expect(ofPayments?.totals?.lines.slice(0, 2)).toEqual([
      {
        ...{ cause: 'only_on_platform_a', objects: 0, amount: usd(0) },
        accepted: { objects: 2, amount: usd(-5) },
      },
      {
        ...{ cause: 'only_on_platform_b', objects: 1, amount: usd(1) },
        accepted: { objects: 0, amount: usd(0) },
      },
    ]);
  });

  it('have lines about projects in a project alone, and lines about later documents up to a day alone', () => {
    const always = [
      ...['only_on_platform_a', 'only_on_platform_b', 'ambiguous'],
      ...['amounts_disagree', 'rounding', 'no_amount', 'not_comparable'],
    ];
    expect(causesOf({})).toEqual(always);
    expect(causesOf({ projectId: 'proj_1' })).toEqual([
      ...always.slice(0, 3),
      'other_project',
      ...always.slice(3),
    ]);
    expect(causesOf({ through: '2026-01-31' })).toEqual([
      ...always,
      'dated_after_platform_a',
      'dated_after_platform_b',
    ]);
  });

  it('say where each rate is from and when it was agreed, and for which currencies there is none', () => {
    const { rates, missing_rates: missing } = statementFrom(parts);
    expect(missing).toEqual(['ISK']);
    expect(rates).toEqual([
      {
        ...{ from: 'QAR', to: 'USD', rate: '3.64', source: 'peg', inverted: true, via: null, set_at: null },
        quotes: [{ from: 'USD', to: 'QAR', rate: '3.64' }],
      },
      {
        ...{ from: 'EUR', to: 'USD', rate: '0.9', source: 'customer', inverted: true, via: null },
        quotes: [{ from: 'USD', to: 'EUR', rate: '0.9' }],
        set_at: '2026-01-02T00:00:00.000Z',
      },
      // Both directions are agreed: the direct one counts.
      {
        ...{ from: 'GBP', to: 'USD', rate: '1.2', source: 'customer', inverted: false, via: null },
        quotes: [{ from: 'GBP', to: 'USD', rate: '1.2' }],
        set_at: '2026-01-03T00:00:00.000Z',
      },
    ]);
    const inRiyals = statementFrom({ ...parts, currencies: ['AED'], scope: { ...scope, currency: 'QAR' } });
    expect(inRiyals.rates).toMatchObject([{ rate: '3.64/3.6725', source: 'peg', via: 'USD', set_at: null }]);
    const yen = { from: 'USD', to: 'JPY', rate: '150', setAt: '2026-01-04T00:00:00Z' };
    const inDollars = statementFrom({ ...parts, currencies: ['JPY'], rates: [...parts.rates, yen] });
    expect(inDollars.rates).toMatchObject([{ rate: '150', set_at: '2026-01-04T00:00:00.000Z' }]);
  });

  it('are complete where there is no reason against it', () => {
    const reasons = [{ reason: 'comparing', platform: null, detail: 'records are being compared' }] as const;
    expect(statementFrom(parts)).toMatchObject({
      ...{ as_of: '2026-02-01T00:00:00Z', complete: true, reasons: [] },
      ...{ platforms: ['platform_a', 'platform_b'], currency: 'USD', project_id: null, through: null },
    });
    const of = { ...scope, projectId: 'proj_1', through: '2026-01-31' };
    expect(statementFrom({ ...parts, reasons, scope: of })).toMatchObject({
      ...{ complete: false, reasons, project_id: 'proj_1', through: '2026-01-31' },
    });
  });

  it('have one digest, whatever the time of the statement, the ages, deleted records and when rates were agreed', () => {
    const { digest } = statementFrom(parts);
    const later = {
      ...parts,
      asOf: '2026-03-01T00:00:00Z',
      deleted: new Map(),
      figures: parts.figures.map((figures) => ({ ...figures, ages: [0, 0, 0, 9] as const })),
      rates: parts.rates.map((rate) => ({ ...rate, setAt: '2026-02-02T00:00:00Z' })),
      reasons: [{ reason: 'comparing', platform: null, detail: '' }] as const,
    };
    expect(statementFrom(later).digest).toBe(digest);
    for (const changed of [
      { ...parts, figures: [projects] },
      { ...parts, currencies: ['USD', 'QAR'] },
      { ...parts, scope: { ...scope, through: '2026-01-31' } },
      { ...parts, scope: { ...scope, projectId: 'proj_1' } },
    ]) {
      expect(statementFrom(changed).digest).not.toBe(digest);
    }
  });

  it('have a digest of their own for each day, and for each number of accepted objects', () => {
    const digestOf = (through: string | undefined, accepted: number) =>
      statementFrom({
        ...parts,
        scope: { ...scope, through },
        figures: [{ ...projects, counts: { ...projects.counts, accepted } }],
      }).digest;
    const digests = [
      ...[digestOf(undefined, 0), digestOf('2026-01-31', 0), digestOf('2026-02-28', 0)],
      ...[digestOf(undefined, 1), digestOf(undefined, 2)],
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });

  it('have the digest that they had before cases could be accepted, where none is', () => {
    const { digest } = statementFrom({ ...parts, figures: [projects], currencies: [] });
    const nobody = { platform_a: 0, platform_b: 0 };
    const counts = { agree: 1, disagree: 0, only_on: nobody, ambiguous: 0, deleted: nobody };
    expect(digest).toBe(
      digestOfJson({
        ...{ platforms: ['platform_a', 'platform_b'], currency: 'USD', project_id: null },
        types: [{ entity_type: 'project', counts, totals: null }],
        ...{ rates: [], missing_rates: [] },
      }),
    );
    const { lines, ...sums } = payments.totals ?? { lines: [] };
    const digestWith = (part: { readonly objects: number; readonly amount: bigint }) => {
      const shown = lines.map((line) => ({ ...line, accepted: part }));
      const totals = { ...sums, lines: shown } as TypeFigures['totals'];
      return statementFrom({ ...parts, figures: [{ ...payments, totals }] }).digest;
    };
    expect(digestWith({ objects: 0, amount: 1n })).toBe(digestWith(none));
    expect(digestWith({ objects: 1, amount: 1n })).not.toBe(digestWith(none));
    expect(digestWith({ objects: 1, amount: 1n })).not.toBe(digestWith({ objects: 1, amount: 2n }));
  });
});
