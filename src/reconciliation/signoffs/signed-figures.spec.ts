import { fc } from '../../../libs/mapper/src/testing/property';
import { withinStatements } from './compared-signoffs';
import { changesBetween, type SignedFigure } from './signed-figures';
import type { StoredSignoff } from './stored-signoff';

const lines = ['only_on_platform_a', 'amounts_disagree', 'outside'];

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
