import { quotesText } from './rate-text';

const usd = { from: 'USD', to: 'AED', rate: '3.6725' };

describe('a rate', () => {
  it('is said as it was quoted, whichever way an amount goes', () => {
    expect(quotesText({ quotes: [usd] })).toBe('1 USD = 3.6725 AED');
  });

  it('that is crossed is said by both of its quotes', () => {
    const qar = { from: 'USD', to: 'QAR', rate: '3.64' };
    expect(quotesText({ quotes: [usd, qar] })).toBe('1 USD = 3.6725 AED; 1 USD = 3.64 QAR');
  });
});
