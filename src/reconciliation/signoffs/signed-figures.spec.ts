import { fc } from '../../../libs/mapper/src/testing/property';
import { withinStatements } from './compared-signoffs';
import { converterInto } from '../comparisons/conversion';
import { TallyBook } from '../statement/figures/tally';
import { changesBetween, signedFigures, type SignedFigure } from './signed-figures';
import type { StoredSignoff } from './stored-signoff';

const lines = ['only_on_platform_a', 'amounts_disagree', 'outside'];

describe('the figures that a sign-off binds', () => {
  const book = new TallyBook(converterInto('USD', []), 0);
  const usd = (amount: number) => ({ amount, currency: 'USD' });
  const one = { part: 'both', amounts: undefined, rightAmount: null, openedAt: undefined } as const;
  const payment = { ...one, entityType: 'payment', state: 'only_left' } as const;
  book.add({ ...one, entityType: 'project', state: 'agree', leftAmount: null });
  book.add({ ...payment, leftAmount: usd(100), isAccepted: true, isWhole: true });
  book.add({ ...payment, leftAmount: usd(7), isAfter: true });
  book.add({
    ...{ ...payment, state: 'only_right', leftAmount: null },
    rightAmount: { amount: 20, currency: 'ISK' },
  });

  it('are all of documents up to the day, but for ages and deleted records', () => {
    const figures = signedFigures({
      asOf: '2026-02-01T00:00:00Z',
      scope: {
        ...{ left: 'platform_a', right: 'platform_b', types: ['project', 'payment'], projectId: undefined },
        ...{ currency: 'USD', through: '2026-01-31', ageBy: 'seen' },
      },
      figures: [],
      deleted: new Map([['payment', new Map([['platform_b', 7]])]]),
      currencies: ['USD', 'ISK'],
      rates: [],
      reasons: [],
      tallies: book.all,
    });
    const counts = (entityType: string, ...of: readonly number[]) =>
      ['agree', 'disagree', 'only_on platform_a', 'only_on platform_b', 'ambiguous', 'accepted'].map(
        (line, place) => {
          const [name, platform = null] = line.split(' ');
          return [entityType, 'counts', name, platform, of[place], null, null];
        },
      );
    const total = (line: string, platform: string | null, count: number, amount?: bigint, code = 'USD') => [
      ...['payment', 'totals', line, platform, count],
      ...(amount === undefined ? [null, null] : [amount, code]),
    ];
    expect(
      figures.map(({ entityType, part, line, platform, count, amount, currency }) => [
        ...[entityType, part, line, platform],
        ...[count, amount, currency],
      ]),
    ).toEqual([
      ...counts('project', 1, 0, 0, 0, 0, 0),
      ...counts('payment', 0, 0, 1, 1, 0, 1),
      total('records', 'platform_a', 1),
      total('sum', 'platform_a', 1, 100n),
      total('without_amount', 'platform_a', 0),
      total('records', 'platform_b', 1),
      total('sum', 'platform_b', 0, 0n),
      total('without_amount', 'platform_b', 0),
      total('only_on_platform_a', null, 1, -100n),
      total('accepted_of_only_on_platform_a', null, 1, -100n),
      ...['only_on_platform_b', 'ambiguous', 'amounts_disagree', 'rounding', 'no_amount'].map((line) =>
        total(line, null, 0, 0n),
      ),
      total('not_comparable', null, 1, 0n),
      total('outside', 'platform_b', 1, 20n, 'ISK'),
    ]);
  });
});

/** Figures as a statement has them: each name once, amounts of any size. */
const figures = fc.uniqueArray(
  fc.record({
    entityType: fc.constantFrom('invoice' as const, 'payment' as const),
    part: fc.constant('totals' as const),
    line: fc.constantFrom(...lines),
    platform: fc.constant(null),
    count: fc.nat(3),
    amount: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
    currency: fc.constantFrom('USD', 'KWD'),
  }),
  { selector: ({ entityType, line, currency }) => [entityType, line, currency].join(' ') },
);

/** What figures say about a name; nothing is 0. */
const said = (all: readonly SignedFigure[], like: Omit<SignedFigure, 'count' | 'amount'>) => {
  const found = all.find(
    ({ entityType, line, currency }) =>
      entityType === like.entityType && line === like.line && currency === like.currency,
  );
  return { count: found?.count ?? 0, amount: found?.amount ?? 0n };
};

describe('the changes between signed and present figures', () => {
  it('are none between equal ones, in any order', () => {
    fc.assert(
      fc.property(figures, (all) => {
        expect(changesBetween(all, all.toReversed())).toEqual([]);
      }),
    );
  });

  it('are none of deleted records that were signed', () => {
    const figure = { entityType: 'payment', part: 'counts', amount: null, currency: null } as const;
    const agree = { ...figure, line: 'agree', platform: null, count: 2 };
    const deleted = { ...figure, line: 'deleted', platform: 'platform_a', count: 1 } as const;
    expect(changesBetween([agree, deleted], [agree])).toEqual([]);
  });

  it('name a figure that only counts without an amount', () => {
    const figure = { entityType: 'payment', part: 'counts', line: 'agree', platform: null } as const;
    const agree = { ...figure, amount: null, currency: null, count: 2 };
    const change = { ...figure, currency: null, after: { count: 2, amount: null } };
    expect(changesBetween([], [agree])).toEqual([{ ...change, before: { count: 0, amount: null } }]);
    expect(changesBetween([{ ...agree, count: 1 }], [agree])).toEqual([
      { ...change, before: { count: 1, amount: null } },
    ]);
  });

  it('name each figure that moved, with both values, and no other', () => {
    fc.assert(
      fc.property(figures, figures, (signed, present) => {
        const changes = changesBetween(signed, present);
        for (const { before, after, ...figure } of changes) {
          expect({ before, after }).toEqual({ before: said(signed, figure), after: said(present, figure) });
          expect(before).not.toEqual(after);
        }
        const moved = [...signed, ...present].filter(
          (one) =>
            said(signed, one).count !== said(present, one).count ||
            said(signed, one).amount !== said(present, one).amount,
        );
        const names = (some: readonly Omit<SignedFigure, 'count' | 'amount'>[]) =>
          new Set(some.map(({ entityType, line, currency }) => [entityType, line, currency].join(' ')));
        expect(names(changes)).toEqual(names(moved));
        expect(changes).toHaveLength(names(moved).size);
      }),
    );
  });
});

describe('the sign-offs of a page', () => {
  const signoff = (through: string, withdrawn = false) =>
    ({ through, withdrawn: withdrawn ? {} : null }) as unknown as StoredSignoff;

  it('end before one more statement would be needed', () => {
    const all = [signoff('1'), signoff('1'), signoff('2'), signoff('3', true), signoff('2'), signoff('3')];
    expect(withinStatements(all, 2)).toEqual(all.slice(0, 5));
    expect(withinStatements(all, 3)).toEqual(all);
    expect(withinStatements(all, 1)).toEqual(all.slice(0, 2));
  });
});
