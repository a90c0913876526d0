import { convert } from './convert';
import { findRate, isQuote, problemOfQuote, quotesOf } from './exchange-rates';

const request = { from: 'USD', to: 'QAR', rate: '3.7' };
const customer = [
  { from: 'USD', to: 'QAR', rate: '3.65' },
  { from: 'EUR', to: 'USD', rate: '1.08' },
];

describe('the rate for a pair', () => {
  it('is the request’s own, before the customer’s, before the peg', () => {
    expect(findRate('USD', 'QAR', { request, customer })).toMatchObject({ rate: '3.7', source: 'request' });
    expect(findRate('USD', 'QAR', { customer })).toMatchObject({ rate: '3.65', source: 'customer' });
    expect(findRate('USD', 'QAR', {})).toMatchObject({ rate: '3.64', source: 'peg' });
  });

  it('is turned round before a lesser source is asked', () => {
    expect(findRate('QAR', 'USD', { request, customer })).toMatchObject({
      rate: '3.7',
      source: 'request',
      inverted: true,
      numerator: 10n,
      denominator: 37n,
    });
    expect(findRate('USD', 'EUR', { request, customer })).toMatchObject({
      rate: '1.08',
      source: 'customer',
      inverted: true,
    });
  });

  it('prefers the quote in the direction asked for to its opposite', () => {
    const both = [
      { from: 'EUR', to: 'USD', rate: '1.08' },
      { from: 'USD', to: 'EUR', rate: '0.9' },
    ];
    expect(findRate('USD', 'EUR', { customer: both })).toMatchObject({ rate: '0.9' });
    expect(findRate('EUR', 'USD', { customer: both })).toMatchObject({ rate: '1.08' });
  });

  it.each([
    ['QAR', '3.64'],
    ['AED', '3.6725'],
    ['SAR', '3.75'],
    ['OMR', '0.3845'],
    ['BHD', '0.376'],
  ])('of %s is pegged at %s to one dollar, either way', (code, peg) => {
    expect(findRate('USD', code, {})).toMatchObject({ rate: peg, source: 'peg' });
    expect(findRate(code, 'USD', {})).toMatchObject({ rate: peg, source: 'peg', inverted: true });
  });

  it('crosses two pegs through the dollar as one exact fraction', () => {
    const crossed = findRate('QAR', 'BHD', {});
    expect(crossed).toMatchObject({ rate: '0.376/3.64', source: 'peg', via: 'USD' });
    if (crossed) expect(crossed.numerator * 3640n).toBe(crossed.denominator * 376n);
  });

  it('rounds a crossed amount once', () => {
    // One dirham is 0.99 riyals. By way of whole cents it would be 27 of them, and those 0.98.
    const crossed = findRate('AED', 'QAR', {});
    expect(crossed && convert({ amount: 100, currency: 'AED' }, crossed)).toEqual({
      amount: 99,
      currency: 'QAR',
    });
  });

  it.each([
    ['USD', 'EUR'],
    ['EUR', 'QAR'],
    ['GBP', 'JPY'],
  ])('is not made up for %s and %s', (from, to) => {
    expect(findRate(from, to, {})).toBeUndefined();
  });

  it('is not that of a pair with which it shares one currency', () => {
    const others = [
      { from: 'EUR', to: 'GBP', rate: '0.8' },
      { from: 'JPY', to: 'USD', rate: '0.006' },
    ];
    expect(findRate('USD', 'EUR', { customer: others })).toBeUndefined();
    expect(findRate('EUR', 'USD', { customer: others })).toBeUndefined();
  });

  it.each(['0', '-1', '3,64', ''])('cannot be "%s"', (rate) => {
    expect(() => findRate('USD', 'EUR', { customer: [{ from: 'USD', to: 'EUR', rate }] })).toThrow(
      new RangeError(`${rate} is no exchange rate`),
    );
  });

  it('follows from one quote in its own direction, and crossed from those of both currencies', () => {
    const behind = (from: string, to: string) => {
      const rate = findRate(from, to, { customer });
      return rate && quotesOf(rate);
    };
    expect(behind('EUR', 'USD')).toEqual([{ from: 'EUR', to: 'USD', rate: '1.08' }]);
    expect(behind('USD', 'EUR')).toEqual([{ from: 'EUR', to: 'USD', rate: '1.08' }]);
    expect(behind('AED', 'QAR')).toEqual([
      { from: 'USD', to: 'AED', rate: '3.6725' },
      { from: 'USD', to: 'QAR', rate: '3.64' },
    ]);
  });

  it('follows, where it was crossed once, from the pegs that are still there', () => {
    expect(quotesOf({ from: 'EUR', to: 'QAR', rate: '3.64/0.92', via: 'USD' })).toEqual([
      { from: 'USD', to: 'QAR', rate: '3.64' },
    ]);
  });

  it('is not crossed through rates of a customer', () => {
    expect(findRate('EUR', 'QAR', { customer })).toBeUndefined();
  });
});

describe('a quote', () => {
  it('names two currencies and a positive rate', () => {
    expect(problemOfQuote({ from: 'USD', to: 'QAR', rate: '3.64' })).toBeUndefined();
    expect(problemOfQuote({ from: 'USD', to: 'QAR', rate: '0.0001' })).toBeUndefined();
    expect(problemOfQuote({ from: 'USD', to: 'QAR', rate: '1'.repeat(40) })).toBeUndefined();
    expect(isQuote({ from: 'USD', to: 'QAR', rate: '3.64' })).toBe(true);
    expect(isQuote({ from: 'USD', to: 'QAR', rate: '0' })).toBe(false);
  });

  it.each([
    [{ from: 'usd', to: 'QAR', rate: '1' }, 'from'],
    [{ from: 1, to: 'QAR', rate: '1' }, 'from'],
    [{ to: 'QAR', rate: '1' }, 'from'],
    [{ from: 'USD', to: 'EURO', rate: '1' }, 'to'],
    [{ from: 'USD', to: 'USD', rate: '1' }, 'to'],
    [{ from: 'USD', to: 'QAR' }, 'rate'],
    [{ from: 'USD', to: 'QAR', rate: 3.64 }, 'rate'],
    [{ from: 'USD', to: 'QAR', rate: '0' }, 'rate'],
    [{ from: 'USD', to: 'QAR', rate: '0.000' }, 'rate'],
    [{ from: 'USD', to: 'QAR', rate: '-3.64' }, 'rate'],
    [{ from: 'USD', to: 'QAR', rate: '3,64' }, 'rate'],
    [{ from: 'USD', to: 'QAR', rate: '1e3' }, 'rate'],
    [{ from: 'USD', to: 'QAR', rate: '' }, 'rate'],
    [{ from: 'USD', to: 'QAR', rate: '1'.repeat(41) }, 'rate'],
  ])('like %j is refused for its %s', (quote, member) => {
    expect(problemOfQuote(quote)).toMatchObject({
      member,
      problem: expect.stringMatching(/^expected /) as string,
    });
  });
});
