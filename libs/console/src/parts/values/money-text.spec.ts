import { currencyCodes, exponentOf } from '../../../../mapper/src/money/currencies';
import { fc } from '../../../../mapper/src/testing/property';
import { countText, digitsOf, moneyText } from './money-text';

describe('digitsOf', () => {
  it.each([
    [0, 'USD', '0.00'],
    [5, 'USD', '0.05'],
    [-5, 'USD', '−0.05'],
    [123456789, 'USD', '1,234,567.89'],
    [-100000, 'USD', '−1,000.00'],
    [1234, 'JPY', '1,234'],
    [1234567, 'KWD', '1,234.567'],
    [1500, 'IQD', '1.500'],
    [100, 'HUF', '1.00'],
    [1, 'CLF', '0.0001'],
    [1234, 'XXX', '1,234 minor units'],
    [2 ** 53, 'USD', 'too large to show exactly'],
    [2n ** 70n, 'JPY', '1,180,591,620,717,411,303,424'],
  ])('%d minor units of %s are %s', (amount, currency, text) => {
    expect(digitsOf({ amount, currency })).toBe(text);
  });

  it('says plus where that is wanted', () => {
    expect(digitsOf({ amount: 100, currency: 'USD' }, { sign: 'always' })).toBe('+1.00');
    expect(digitsOf({ amount: 0, currency: 'USD' }, { sign: 'always' })).toBe('0.00');
  });

  it('shows each amount of each currency to its last unit', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.constantFrom(...currencyCodes), (amount, currency) => {
        const text = digitsOf({ amount, currency });
        expect(BigInt(text.replace(/[,.]/g, '').replace('−', '-'))).toBe(amount);
        expect(text.split('.')[1]?.length ?? 0).toBe(exponentOf(currency));
      }),
    );
  });

  it('has its currency in text', () => {
    expect(moneyText({ amount: 1, currency: 'BHD' })).toBe('0.001 BHD');
  });
});

describe('countText', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1,000'],
    [-68123, '−68,123'],
  ])('%d is %s', (count, text) => {
    expect(countText(count)).toBe(text);
  });
});
