import { moneyText } from './money-text';
import { sumsOf } from './sums';

describe('sumsOf', () => {
  it('adds by currency, in the order in which these occur, to the last unit', () => {
    const amounts = [
      { amount: 2n ** 70n, currency: 'QAR' },
      { amount: 10, currency: 'USD' },
      { amount: 1, currency: 'QAR' },
      { amount: -30, currency: 'USD' },
    ];
    expect(sumsOf(amounts)).toEqual([
      { amount: 2n ** 70n + 1n, currency: 'QAR' },
      { amount: -20n, currency: 'USD' },
    ]);
  });

  it('has no sum of an amount that was rounded', () => {
    const [sum] = sumsOf([
      { amount: 2 ** 53, currency: 'USD' },
      { amount: 1, currency: 'USD' },
    ]);
    expect(sum && moneyText(sum)).toBe('too large to show exactly USD');
  });
});
