import { amountIn, type Quotes } from './amounts';

const none: Quotes = { request: undefined, customer: [] };
const usd = (amount: number) => ({ amount, currency: 'USD' });

describe('amountIn', () => {
  it('leaves an amount in its own currency as it was written', () => {
    const money = usd(Number.MAX_SAFE_INTEGER);
    expect(amountIn('USD', money, none, 'amount')).toEqual({ money, conversion: undefined });
  });

  it('takes the first rate there is: the request’s, the customer’s, the peg', () => {
    const request = { from: 'USD', to: 'QAR', rate: '4' };
    const customer = [{ from: 'USD', to: 'QAR', rate: '3.65' }];
    const sourceOf = (quotes: Quotes) => amountIn('QAR', usd(100), quotes, 'amount').conversion?.source;
    expect(sourceOf({ request, customer })).toBe('request');
    expect(sourceOf({ request: undefined, customer })).toBe('customer');
    expect(sourceOf(none)).toBe('peg');
  });

  it('refuses without a rate, naming field and pair', () => {
    expect(() => amountIn('EUR', usd(1), none, 'grand_total')).toThrow(
      'data.grand_total: no exchange rate from USD to EUR is known',
    );
  });

  it('refuses what is too large in the other currency', () => {
    expect(() => amountIn('QAR', usd(Number.MAX_SAFE_INTEGER), none, 'amount')).toThrow(
      /^data\.amount: .*QAR/,
    );
  });
});
