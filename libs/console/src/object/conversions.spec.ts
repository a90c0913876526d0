import { convertedInto, rateWords, type KnownRates } from './conversions';

const usd = { amount: 148_000_000, currency: 'USD' };
const aed = { amount: 543_530_000, currency: 'AED' };
const row = { canonical: usd, values: { platform_a: usd, platform_b: aed } };
const known: KnownRates = {
  currency: 'USD',
  rates: [
    { from: 'AED', to: 'USD', quotes: [{ from: 'USD', to: 'AED', rate: '3.6725' }], source: 'peg' },
    {
      ...{ from: 'EUR', to: 'USD', source: 'customer' },
      quotes: [
        { from: 'GBP', to: 'EUR', rate: '1.2' },
        { from: 'GBP', to: 'USD', rate: '1.3' },
      ],
    },
  ],
  missing_rates: ['KWD'],
};
const beside = (currency: string, rates = known) =>
  rateWords({ canonical: usd, values: { platform_b: { amount: 1, currency } } }, 'platform_b', rates);

describe('amounts of an object', () => {
  it('are converted into its currency where a platform has another one', () => {
    expect(convertedInto([{ canonical: 'text', values: {} }, row])).toBe('USD');
    expect(convertedInto([{ canonical: usd, values: { platform_a: usd } }])).toBeUndefined();
    expect(convertedInto([{ canonical: undefined, values: { platform_b: aed } }])).toBeUndefined();
  });

  it('have their rate beside them in the words of the statement', () => {
    expect(rateWords(row, 'platform_b', known)).toBe('1 USD = 3.6725 AED, official peg');
    expect(beside('EUR')).toBe('1 GBP = 1.2 EUR; 1 GBP = 1.3 USD, agreed with the customer');
    expect(beside('KWD')).toBe('no rate leads from KWD to USD');
  });

  it('have none where nothing is converted, and where the rates are not known or of another currency', () => {
    expect(rateWords(row, 'platform_a', known)).toBeUndefined();
    expect(beside('JPY')).toBeUndefined();
    expect(rateWords(row, 'platform_b', undefined)).toBeUndefined();
    expect(beside('AED', { ...known, currency: 'QAR' })).toBeUndefined();
    expect(rateWords({ canonical: usd, values: {} }, 'platform_b', known)).toBeUndefined();
  });
});
