import {
  exponentOf,
  findRate,
  storedEntityTypes,
  type Money,
  type RateQuote,
  type StoredEntityType,
} from '@app/mapper';
import { fc } from '../../../../libs/mapper/src/testing/property';
import { DAY_MS } from './ages';
import type { AmountComparison, State } from '../../comparisons/comparison';
import { converterInto } from '../../comparisons/conversion';
import { figuresOf } from './figures';
import { TallyBook, type Tallied } from './tally';

const NOW = Date.UTC(2026, 10, 22);
const types: readonly StoredEntityType[] = ['contract', 'invoice', 'payment'];

// XAU has no exponent of two, ISK none that pegs know; of these some have no rate at all.
const currency = fc.constantFrom('USD', 'QAR', 'AED', 'EUR', 'JPY', 'KWD', 'CLF', 'ISK');
const money = fc.record({
  amount: fc.oneof(
    { arbitrary: fc.integer({ min: -1e7, max: 1e7 }), weight: 6 },
    { arbitrary: fc.maxSafeInteger(), weight: 1 },
  ),
  currency,
});
const rates: fc.Arbitrary<readonly RateQuote[]> = fc.array(
  fc
    .record({
      from: currency,
      to: currency,
      rate: fc
        .integer({ min: 1, max: 1_000_000 })
        .map((units) => `${Math.floor(units / 1000)}.${String(units % 1000).padStart(3, '0')}`),
    })
    .filter(({ from, to, rate }) => from !== to && Number(rate) > 0),
  { maxLength: 6 },
);
const opened = fc.integer({ min: 0, max: 200 }).map((days) => NOW - days * DAY_MS);

const linked: fc.Arbitrary<Tallied> = fc
  .record({
    entityType: fc.constantFrom(...types),
    leftAmount: fc.option(money),
    rightAmount: fc.option(money),
    verdict: fc.constantFrom<AmountComparison>('equal', 'differ', 'no_rate'),
    openedAt: opened,
  })
  .map(({ verdict, openedAt, ...one }) => {
    const both = one.leftAmount !== null && one.rightAmount !== null;
    // Amounts in one currency can be told apart, and equal ones are the same.
    const same = both && one.leftAmount?.currency === one.rightAmount?.currency;
    const equal = same && one.leftAmount?.amount === one.rightAmount?.amount;
    const amounts = !both ? undefined : equal ? 'equal' : same ? 'differ' : verdict;
    const state: State = amounts === undefined || amounts === 'equal' ? 'agree' : 'disagree';
    return { ...one, part: 'both', amounts, state, openedAt: state === 'agree' ? undefined : openedAt };
  });
const alone: fc.Arbitrary<Tallied> = fc
  .record({
    entityType: fc.constantFrom(...types),
    state: fc.constantFrom<State>('only_left', 'only_right', 'ambiguous_left', 'ambiguous_right'),
    amount: fc.option(money),
    openedAt: opened,
  })
  .map(({ entityType, state, amount, openedAt }) => ({
    entityType,
    part: 'both',
    state,
    amounts: undefined,
    leftAmount: state.endsWith('left') ? amount : null,
    rightAmount: state.endsWith('right') ? amount : null,
    openedAt,
  }));
const portfolio = fc.array(fc.oneof(linked, alone), { maxLength: 60 });

/** An independent computation of a column's sum: with decimal digits and its own rounding. */
function addedUp(amounts: readonly (Money | null)[], into: string, quotes: readonly RateQuote[]): bigint {
  let sum = 0n;
  for (const amount of amounts) {
    if (amount === null) continue;
    const rate =
      amount.currency === into
        ? { numerator: 1n, denominator: 1n }
        : findRate(amount.currency, into, { customer: quotes });
    if (rate === undefined) continue;
    const top = BigInt(amount.amount) * rate.numerator * 10n ** BigInt(exponentOf(into));
    const bottom = rate.denominator * 10n ** BigInt(exponentOf(amount.currency));
    // Floor, then up when more than half is left, or half and the floor is odd.
    const floor = top >= 0n ? top / bottom : -((-top + bottom - 1n) / bottom);
    const left = 2n * (top - floor * bottom);
    const up = left > bottom || (left === bottom && (floor % 2n === 1n || floor % 2n === -1n));
    const converted = up ? floor + 1n : floor;
    if (converted <= BigInt(Number.MAX_SAFE_INTEGER) && converted >= -BigInt(Number.MAX_SAFE_INTEGER))
      sum += converted;
  }
  return sum;
}

function figures(objects: readonly Tallied[], into: string, quotes: readonly RateQuote[]) {
  const book = new TallyBook(converterInto(into, quotes), NOW);
  for (const object of objects) book.add(object);
  return figuresOf(book.all);
}

describe('control totals', () => {
  it('foot to the minor unit, and their sums are those of the records', () => {
    fc.assert(
      fc.property(portfolio, currency, rates, (objects, into, quotes) => {
        for (const { entityType, totals } of figures(objects, into, quotes)) {
          if (totals === undefined) continue;
          const own = objects.filter((object) => object.entityType === entityType);
          const lines = totals.lines.reduce((sum, { amount }) => sum + amount, 0n);
          expect(totals.from.amount + lines).toBe(totals.to.amount);
          expect(totals.from.amount).toBe(
            addedUp(
              own.map(({ leftAmount }) => leftAmount),
              into,
              quotes,
            ),
          );
          expect(totals.to.amount).toBe(
            addedUp(
              own.map(({ rightAmount }) => rightAmount),
              into,
              quotes,
            ),
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  it('count every record once: in a sum, without an amount, or outside', () => {
    fc.assert(
      fc.property(portfolio, currency, rates, (objects, into, quotes) => {
        for (const { entityType, totals, counts } of figures(objects, into, quotes)) {
          if (totals === undefined) continue;
          const own = objects.filter((object) => object.entityType === entityType);
          for (const side of ['left', 'right'] as const) {
            const sum = totals[side === 'left' ? 'from' : 'to'];
            const outside = totals.outside.filter((one) => one.side === side);
            const out = outside.reduce((count, { records }) => count + records, 0);
            expect(sum.summed + sum.withoutAmount + out).toBe(sum.records);
            const other = side === 'left' ? 'right' : 'left';
            expect(sum.records).toBe(own.filter(({ state }) => !state.endsWith(other)).length);
            for (const { currency: code, amount } of outside) {
              expect(findRate(code, into, { customer: quotes }) === undefined || amount !== 0n).toBe(true);
            }
          }
          const states = [
            counts.agree,
            counts.disagree,
            ...Object.values(counts.only),
            ...Object.values(counts.ambiguous),
          ];
          expect(states.reduce((sum, count) => sum + count, 0)).toBe(own.length);
        }
      }),
    );
  });

  it('do not depend on the order of the objects', () => {
    fc.assert(
      fc.property(portfolio, rates, (objects, quotes) => {
        expect(figures(objects.toReversed(), 'USD', quotes)).toEqual(figures(objects, 'USD', quotes));
      }),
    );
  });

  it('name each cause', () => {
    const usd = (amount: number) => ({ amount, currency: 'USD' });
    const payment = { entityType: 'payment', part: 'both', openedAt: undefined } as const;
    const [, , , , payments] = figures(
      [
        { ...payment, state: 'only_left', amounts: undefined, leftAmount: usd(100), rightAmount: null },
        { ...payment, state: 'only_right', amounts: undefined, leftAmount: null, rightAmount: usd(20) },
        { ...payment, state: 'ambiguous_left', amounts: undefined, leftAmount: usd(3), rightAmount: null },
        { ...payment, state: 'disagree', amounts: 'differ', leftAmount: usd(10), rightAmount: usd(11) },
        { ...payment, state: 'agree', amounts: undefined, leftAmount: usd(7), rightAmount: null },
        // 1.01 riyals are 27.747… cents.
        {
          ...payment,
          state: 'agree',
          amounts: 'equal',
          leftAmount: usd(1),
          rightAmount: { amount: 4, currency: 'QAR' },
        },
        {
          ...payment,
          state: 'agree',
          amounts: 'equal',
          leftAmount: { amount: 101, currency: 'QAR' },
          rightAmount: usd(27),
        },
        // The same at the rate and once converted: nothing is left to add.
        {
          ...payment,
          state: 'agree',
          amounts: 'equal',
          leftAmount: { amount: 364, currency: 'QAR' },
          rightAmount: usd(100),
        },
        {
          ...payment,
          part: 'left',
          state: 'disagree',
          amounts: 'equal',
          leftAmount: usd(40),
          rightAmount: null,
        },
        {
          ...payment,
          part: 'right',
          state: 'disagree',
          amounts: 'differ',
          leftAmount: null,
          rightAmount: { amount: 364, currency: 'QAR' },
        },
        {
          ...payment,
          state: 'disagree',
          amounts: 'no_rate',
          leftAmount: usd(500),
          rightAmount: { amount: 9, currency: 'ISK' },
        },
        {
          ...payment,
          state: 'only_right',
          amounts: undefined,
          leftAmount: null,
          rightAmount: { amount: 6, currency: 'ISK' },
        },
      ],
      'USD',
      [],
    );
    const lines = payments?.totals?.lines.map(({ cause, objects, amount }) => [cause, objects, amount]);
    expect(lines).toEqual([
      ['only_left', 1, -100n],
      ['only_right', 1, 20n],
      ['ambiguous', 1, -3n],
      ['other_project', 2, 60n],
      ['amounts_disagree', 1, 1n],
      ['rounding', 1, -1n],
      ['no_amount', 1, -7n],
      ['not_comparable', 2, -500n],
      ['after_left', 0, 0n],
      ['after_right', 0, 0n],
    ]);
    expect(payments?.totals?.outside).toEqual([{ side: 'right', currency: 'ISK', records: 2, amount: 15n }]);
  });
});

describe('the figures of a type', () => {
  const usd = (amount: number) => ({ amount, currency: 'USD' });
  const open = { entityType: 'payment', part: 'both', amounts: undefined, openedAt: NOW } as const;
  const onLeft = { ...open, state: 'only_left', leftAmount: usd(100), rightAmount: null } as const;
  const onRight = { ...open, state: 'only_right', leftAmount: null, rightAmount: usd(20) } as const;
  const figuresOfPayments = (...objects: readonly Tallied[]) =>
    figures(objects, 'USD', []).find(({ entityType }) => entityType === 'payment');

  it('are there for every type, with totals for those that have an amount', () => {
    const all = figures([], 'USD', []);
    expect(all.map(({ entityType }) => entityType)).toEqual(storedEntityTypes);
    const withTotals = all.filter(({ totals }) => totals !== undefined);
    expect(withTotals.map(({ entityType }) => entityType)).toEqual(types);
    for (const { counts, ages } of all) {
      const none = { left: 0, right: 0 };
      expect(counts).toEqual({ agree: 0, disagree: 0, only: none, ambiguous: none, accepted: 0 });
      expect(ages).toEqual([0, 0, 0, 0]);
    }
  });

  it('say which part of a line is accepted, and of how many objects everything is', () => {
    const shown = figuresOfPayments(
      onLeft,
      { ...onLeft, leftAmount: usd(7), isAccepted: true, isWhole: true },
      { ...onRight, isAccepted: true },
      { ...onRight, state: 'ambiguous_right', isAccepted: true, isWhole: true },
    );
    expect(shown?.counts.accepted).toBe(2);
    const lines = shown?.totals?.lines.slice(0, 4).map(({ cause, accepted }) => [cause, accepted]);
    expect(lines).toEqual([
      ['only_left', { objects: 1, amount: -7n }],
      ['only_right', { objects: 1, amount: 20n }],
      ['ambiguous', { objects: 1, amount: 20n }],
      ['other_project', { objects: 0, amount: 0n }],
    ]);
  });

  it('count no record that is dated later, and show its amount in a line of its own', () => {
    const shown = figuresOfPayments(
      onLeft,
      { ...onLeft, isAfter: true, isWhole: true, isAccepted: true },
      { ...onRight, isAfter: true, isWhole: true, isAccepted: true },
    );
    expect(shown?.counts).toMatchObject({ only: { left: 1, right: 0 }, accepted: 0 });
    expect(shown?.ages).toEqual([1, 0, 0, 0]);
    expect(shown?.totals?.lines.slice(-2)).toMatchObject([
      { cause: 'after_left', objects: 1, amount: -100n },
      { cause: 'after_right', objects: 1, amount: 20n },
    ]);
  });

  it('count open items of one age together, whatever their state', () => {
    const older = { openedAt: NOW - 45 * DAY_MS };
    expect(figuresOfPayments(onLeft, onRight, onRight, { ...onRight, ...older })?.ages).toEqual([3, 1, 0, 0]);
  });

  it('name what no rate converts by platform and currency, in the order of the currencies', () => {
    const krona = (amount: number) => ({ amount, currency: 'ISK' });
    const shown = figuresOfPayments(
      { ...onLeft, leftAmount: krona(5) },
      { ...onLeft, state: 'ambiguous_left', leftAmount: krona(6) },
      { ...onLeft, leftAmount: { amount: 2, currency: 'CLF' } },
      onLeft,
      { ...onRight, rightAmount: krona(-1) },
      {
        ...open,
        state: 'disagree',
        part: 'left',
        amounts: 'no_rate',
        leftAmount: usd(1),
        rightAmount: krona(9),
      },
    );
    expect(shown?.totals?.outside).toEqual([
      { side: 'left', currency: 'CLF', records: 1, amount: 2n },
      { side: 'left', currency: 'ISK', records: 2, amount: 11n },
      { side: 'right', currency: 'ISK', records: 1, amount: -1n },
    ]);
    expect(shown?.totals?.from).toEqual({ records: 5, summed: 2, withoutAmount: 0, amount: 101n });
    const withoutAmount = figuresOfPayments({ ...onLeft, leftAmount: null }, onLeft)?.totals;
    expect(withoutAmount?.from).toEqual({ records: 2, summed: 1, withoutAmount: 1, amount: 100n });
    expect(withoutAmount?.outside).toEqual([]);
    expect(withoutAmount?.lines[0]).toMatchObject({ cause: 'only_left', objects: 1, amount: -100n });
  });

  it('have one line for linked records that cannot be compared, or not be shown in one currency', () => {
    const linked = { ...open, state: 'disagree', leftAmount: usd(100), rightAmount: null } as const;
    const riyals = { amount: 364, currency: 'QAR' };
    const linesOf = (into: string, quotes: readonly RateQuote[], object: Tallied) =>
      figures([object], into, quotes)
        .find(({ entityType }) => entityType === 'payment')
        ?.totals?.lines.filter(({ objects }) => objects > 0)
        .map(({ cause }) => cause);
    // A currency that nobody knows.
    expect(linesOf('USD', [], { ...linked, amounts: 'no_rate' })).toEqual(['not_comparable']);
    // Equal at the peg, and only one of them has a rate into the currency of the statement.
    const dollars = { from: 'USD', to: 'ISK', rate: '140' };
    const equal = { ...linked, state: 'agree', amounts: 'equal', rightAmount: riyals } as const;
    expect(linesOf('ISK', [dollars], equal)).toEqual(['not_comparable']);
    // Both have one, and there is none between them.
    const apart = { ...linked, amounts: 'no_rate', rightAmount: { amount: 9, currency: 'GBP' } } as const;
    const pounds = { from: 'GBP', to: 'ISK', rate: '175' };
    expect(linesOf('ISK', [dollars, pounds], apart)).toEqual(['not_comparable']);
  });
});

describe('ages', () => {
  it.each([
    [0, 0],
    [30, 0],
    [31, 1],
    [60, 1],
    [61, 2],
    [90, 2],
    [91, 3],
    [-1, 0],
  ])('an item of %d days is in group %d', (days, group) => {
    const [, , , , payments] = figures(
      [
        {
          entityType: 'payment',
          part: 'both',
          state: 'only_left',
          amounts: undefined,
          leftAmount: null,
          rightAmount: null,
          openedAt: NOW - days * DAY_MS,
        },
      ],
      'USD',
      [],
    );
    expect(payments?.ages[group]).toBe(1);
    expect(payments?.ages.reduce((sum, count) => sum + count, 0)).toBe(1);
  });
});
