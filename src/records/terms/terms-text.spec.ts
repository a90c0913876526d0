import { defaultTerms } from '@app/mapper';
import { termsFrom } from './terms-text';

describe('the text of terms', () => {
  it('is none where nothing was agreed', () => {
    expect(termsFrom(null)).toBe(defaultTerms);
    expect(termsFrom('{"rates":null,"terms":null}')).toEqual(defaultTerms);
  });

  it('has rates, precedence and rules', () => {
    const text = JSON.stringify({
      rates: [['USD', 'QAR', '3.640']],
      terms: [
        ['precedence', 'payment.amount', ['platform_b', 'platform_a']],
        ['precedence', 'payment.date', ['platform_b']],
        ['precedence', 'invoice.status', ['platform_b']],
        ['rule', 'paid_above_billed', 'warn'],
        ['rule', 'create_missing', 'never'],
      ],
    });
    expect(termsFrom(text)).toEqual({
      rates: [{ from: 'USD', to: 'QAR', rate: '3.640' }],
      precedence: {
        payment: { amount: ['platform_b', 'platform_a'], date: ['platform_b'] },
        invoice: { status: ['platform_b'] },
      },
      rules: { paid_above_billed: 'warn' },
      createMissing: 'never',
    });
  });

  it('may hold what only a later release knows', () => {
    const terms = [
      ['precedence', 'timesheet.hours', ['platform_b']],
      ['precedence', 'payment.date', ['platform_z', 'platform_b']],
      ['rule', 'later_rule', 'warn'],
      ['rule', 'paid_above_billed', 'shout'],
      ['rule', 'create_missing', 'sometimes'],
    ];
    expect(termsFrom(JSON.stringify({ rates: null, terms }))).toEqual({
      rates: [],
      precedence: { payment: { date: ['platform_b'] } },
      rules: {},
    });
  });
});
