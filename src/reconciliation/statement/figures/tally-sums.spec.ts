import { fc } from '../../../../libs/mapper/src/testing/property';
import { noAges } from './ages';
import { converterInto } from '../../comparisons/conversion';
import { TallyBook, type Tally, type Tallied } from './tally';
import { replacedTallies } from './tally-sums';

const money = fc.record({
  amount: fc.oneof(fc.integer({ min: -500, max: 500 }), fc.maxSafeInteger()),
  currency: fc.constantFrom('USD', 'AED', 'JPY', 'XAU'),
});

const tallied: fc.Arbitrary<Tallied> = fc.record({
  entityType: fc.constantFrom('invoice', 'payment'),
  state: fc.constantFrom('agree', 'disagree', 'only_left', 'only_right', 'ambiguous_left'),
  amounts: fc.constantFrom('equal', 'differ', undefined),
  part: fc.constantFrom('both', 'left'),
  isAfter: fc.boolean(),
  isAccepted: fc.boolean(),
  isWhole: fc.boolean(),
  leftAmount: fc.option(money),
  rightAmount: fc.option(money),
  openedAt: fc.constant(undefined),
});

const rates = [{ from: 'USD', to: 'AED', rate: '3.6725' }];

function talliesOf(objects: readonly Tallied[]): readonly Tally[] {
  const book = new TallyBook(converterInto('USD', rates), 0);
  for (const object of objects) book.add(object);
  return book.all;
}

const inOrder = (tallies: readonly Tally[]): readonly string[] =>
  tallies
    .map((tally) =>
      JSON.stringify(tally, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
    )
    .toSorted();

describe('replaced tallies', () => {
  it('are those of all objects as they are now', () => {
    const list = fc.array(tallied, { maxLength: 12 });
    fc.assert(
      fc.property(list, list, list, (stay, went, came) => {
        const replaced = replacedTallies(talliesOf([...stay, ...went]), talliesOf(went), talliesOf(came));
        expect(inOrder(replaced)).toEqual(inOrder(talliesOf([...stay, ...came])));
      }),
    );
  });

  it('have no ages, which belong to a moment', () => {
    const [open] = talliesOf([
      {
        entityType: 'payment',
        state: 'only_left',
        amounts: undefined,
        part: 'both',
        leftAmount: null,
        rightAmount: null,
        openedAt: 0,
      },
    ]);
    expect(open?.ages).not.toEqual(noAges());
    expect(replacedTallies(open === undefined ? [] : [open], [], [])).toEqual([{ ...open, ages: noAges() }]);
  });
});
