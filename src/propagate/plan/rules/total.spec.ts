import { fc } from '../../../../libs/mapper/src/testing/property';
import { excessOf, totalOf } from './total';

const noQuotes = { request: undefined, customer: [] };
const usd = (amount: number) => ({ amount, currency: 'USD' });
const qar = (amount: number) => ({ amount, currency: 'QAR' });

describe('a sum of amounts', () => {
  it('is exact, also beyond what one amount may be', () => {
    const largest = usd(Number.MAX_SAFE_INTEGER);
    expect(totalOf('USD', [largest, largest, usd(1)], noQuotes)).toEqual({
      amount: 2n * BigInt(Number.MAX_SAFE_INTEGER) + 1n,
      currency: 'USD',
      converted: 0,
    });
  });

  it('converts each amount by itself', () => {
    expect(totalOf('USD', [usd(100), qar(364), qar(-364)], noQuotes)).toEqual({
      amount: 100n,
      currency: 'USD',
      converted: 2,
    });
    const quotes = { request: undefined, customer: [{ from: 'USD', to: 'QAR', rate: '4' }] };
    expect(totalOf('USD', [qar(400)], quotes)).toMatchObject({ amount: 100n });
  });

  it('does not exist if one amount has no rate or does not fit', () => {
    expect(totalOf('USD', [usd(1), { amount: 1, currency: 'EUR' }], noQuotes)).toEqual({
      unconvertible: 'EUR',
    });
    expect(totalOf('QAR', [usd(Number.MAX_SAFE_INTEGER)], noQuotes)).toEqual({ unconvertible: 'USD' });
  });

  it('exceeds a limit by the amount above it, less possible rounding of conversions', () => {
    const sum = (amount: bigint, converted = 0) => ({ amount, currency: 'USD', converted });
    expect(excessOf(sum(101n), usd(100))).toBe(1n);
    expect(excessOf(sum(100n), usd(100))).toBe(0n);
    expect(excessOf(sum(101n, 1), usd(100))).toBe(0n);
    expect(excessOf(sum(103n, 2), usd(100))).toBe(3n);
  });

  it('of parts of an amount never exceeds it, whatever currency they were paid in', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1_000_000_000 }), { minLength: 1, maxLength: 20 }),
        (parts) => {
          // Each part is rounded separately, and so is the whole.
          const total = totalOf('USD', parts.map(qar), noQuotes);
          const whole = totalOf('USD', [qar(parts.reduce((sum, part) => sum + part, 0))], noQuotes);
          if ('unconvertible' in total || 'unconvertible' in whole) throw new Error('There is a peg');
          expect(excessOf(total, usd(Number(whole.amount)))).toBe(0n);
        },
      ),
    );
  });
});
