import type { Money } from '@app/mapper';
import { fc } from '../../libs/mapper/src/testing/property';
import type { ObjectOfCases } from './case-parts';
import { casesOf, itemsOf } from './cases';
import {
  isOnLeft,
  isOnRight,
  states,
  type AmountVerdict,
  type Difference,
  type PairComparison,
  type State,
} from './comparison';
import { converterInto } from './conversion';
import { figuresOf } from './figures';
import { TallyBook } from './tally';

// Rates lead from QAR and AED to USD; GBP has one to QAR alone, JPY none at all.
const quotes = [{ from: 'GBP', to: 'QAR', rate: '4.8' }];
const convert = converterInto('USD', quotes);
const money: fc.Arbitrary<Money> = fc.record({
  amount: fc.integer({ min: -1e7, max: 1e7 }),
  currency: fc.constantFrom('USD', 'QAR', 'AED', 'GBP', 'JPY'),
});
const platforms = { left: 'platform_a', right: 'platform_b' } as const;

const pairs: fc.Arbitrary<PairComparison> = fc
  .record({
    state: fc.constantFrom<State>(...states),
    left: fc.option(money),
    right: fc.option(money),
    verdict: fc.constantFrom<AmountVerdict>('equal', 'differ', 'no_rate'),
  })
  .map(({ state, left, right, verdict }): PairComparison => {
    const leftAmount = isOnLeft(state) ? left : null;
    const rightAmount = isOnRight(state) ? right : null;
    const both = leftAmount !== null && rightAmount !== null;
    const sameCurrency = leftAmount?.currency === rightAmount?.currency;
    const same = sameCurrency && leftAmount?.amount === rightAmount?.amount;
    const amounts = !both ? undefined : same ? 'equal' : sameCurrency ? 'differ' : verdict;
    const differences =
      amounts === undefined || amounts === 'equal' ? [] : [differenceOf(amounts, leftAmount, rightAmount)];
    const linked = isOnLeft(state) && isOnRight(state);
    const found = linked ? (differences.length > 0 ? 'disagree' : 'agree') : state;
    return { ...platforms, state: found, leftAmount, rightAmount, amounts, differences };
  });

function differenceOf(verdict: 'differ' | 'no_rate', left: Money | null, right: Money | null): Difference {
  const saying = (platform: 'platform_a' | 'platform_b', amount: Money | null) => ({
    platform,
    canonical: amount && { amount: amount.amount, currency: amount.currency },
    native: '1',
    path: 'amount',
  });
  return {
    field: 'amount',
    kind: verdict === 'no_rate' ? 'no_rate' : 'differs',
    left: saying('platform_a', left),
    right: saying('platform_b', right),
    stands: 'platform_a',
    why: 'it comes first by default',
  };
}

function objectOf({ state }: PairComparison): ObjectOfCases {
  const here = [...(isOnLeft(state) ? ['platform_a'] : []), ...(isOnRight(state) ? ['platform_b'] : [])];
  return {
    id: 'pay_1',
    entityType: 'payment',
    projectId: null,
    candidates: [],
    numbers: new Map(),
    copies: here.map((platform) => ({ platform, platformId: `of ${platform}` })),
  } as unknown as ObjectOfCases;
}

describe('cases', () => {
  it('add up to the line of their kind', () => {
    fc.assert(
      fc.property(fc.array(pairs, { maxLength: 20 }), (books) => {
        const tallies = new TallyBook(convert, 0);
        const sums = new Map<string, bigint>();
        for (const pair of books) {
          tallies.add({ ...pair, entityType: 'payment', openedAt: undefined });
          for (const { kind, platform, difference } of casesOf(
            objectOf(pair),
            { pairs: [pair], unreadable: [] },
            convert,
          )) {
            const name = kind === 'only_on' ? `${kind} ${platform}` : kind;
            sums.set(name, (sums.get(name) ?? 0n) + (difference ?? 0n));
          }
        }
        const [figures] = figuresOf(tallies.all, ['payment']);
        const lineOf = (cause: string) => figures?.totals?.lines.find((line) => line.cause === cause)?.amount;
        for (const [kind, cause] of [
          ['only_on platform_a', 'only_left'],
          ['only_on platform_b', 'only_right'],
          ['ambiguous', 'ambiguous'],
          ['disagreement', 'amounts_disagree'],
          ['unreadable', 'no_amount'],
          ['not_comparable', 'not_comparable'],
        ] as const) {
          expect([kind, sums.get(kind) ?? 0n]).toEqual([kind, lineOf(cause)]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are among the open items of their object, so that each has an age', () => {
    fc.assert(
      fc.property(pairs, (pair) => {
        const comparison = { pairs: [pair], unreadable: [] };
        const items = casesOf(objectOf(pair), comparison, convert).map(({ item }) => item);
        expect(new Set(items)).toEqual(itemsOf(comparison, convert));
      }),
    );
  });
});
