import { rateText } from '../parts/words/rate-text';
import { levelsOf, orderText } from './term-words';

describe('words of terms', () => {
  it('give a rate its direction', () => {
    expect(rateText({ from: 'USD', to: 'AED', rate: '3.6725' })).toBe('1 USD = 3.6725 AED');
  });

  it.each([
    [[], 'platform_a, then platform_b'],
    [['platform_b'], 'platform_b, then platform_a'],
    [['platform_b', 'platform_a'], 'platform_b, then platform_a'],
  ])('put %j before the default order', (named, words) => {
    expect(orderText(named, ['platform_a', 'platform_b'])).toBe(words);
  });

  it('know the levels of each rule', () => {
    expect(levelsOf('paid_above_billed')).toEqual(['refuse', 'warn', 'off']);
    expect(levelsOf('create_missing')).toEqual(['ask', 'always', 'never']);
  });
});
