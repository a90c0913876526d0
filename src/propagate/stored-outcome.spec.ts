import type { JsonObject } from '@app/mapper';
import { readStoredOutcome, readStoredWarnings } from './stored-outcome';

const conversion = { from: 'USD', to: 'QAR', rate: '3.64', source: 'peg', rounding: 'half_even' };

describe('the stored report of a change', () => {
  it.each<[string, JsonObject]>([
    ['nothing but a status', { status: 'unchanged' }],
    ['a reason', { status: 'skipped', reason: 'it is not connected' }],
    [
      'conversions',
      {
        status: 'applied',
        conversion: { ...conversion, inverted: true, via: 'USD' },
        conversions: [{ field: 'amount', ...conversion }],
      },
    ],
  ])('is an outcome with %s', (_name, stored) => {
    expect(readStoredOutcome({ ...stored, platform_id: '1' })).toEqual(stored);
  });

  it.each([
    [undefined, 'A kept outcome'],
    ['applied', 'A kept outcome'],
    [{ status: 'lost' }, 'A kept outcome'],
    [{ status: 'applied', conversion: { from: 'USD' } }, 'has no to'],
    [{ status: 'applied', conversions: [conversion] }, 'has no field'],
  ])('is no outcome where it is %j', (stored, message) => {
    expect(() => readStoredOutcome(stored)).toThrow(message);
  });

  it('has warnings, as far as this release knows their rules', () => {
    const known = {
      rule: 'paid_above_billed',
      field: 'amount',
      message: 'too much',
      amount: { amount: 2, currency: 'USD' },
      limit: { amount: 1, currency: 'USD' },
      platform: 'platform_a',
    };
    expect(readStoredWarnings({})).toEqual([]);
    expect(readStoredWarnings({ warnings: [known, { ...known, rule: 'later_rule' }] })).toEqual([known]);
    expect(() => readStoredWarnings({ warnings: [{ rule: known.rule, field: 'amount' }] })).toThrow(
      'has no message',
    );
  });
});
