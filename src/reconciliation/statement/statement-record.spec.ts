import { currencyCodes, storedEntityTypes, stringifyJson } from '@app/mapper';
import { statementFrom } from './statement-record';

/** Bytes that a statement has at most, whatever the books; decision 61 has this number. */
const MOST_BYTES = 256 * 1024;

/** Larger than a customer's records can come to. */
const HUGE = 10n ** 30n;

const sum = { records: 1e9, summed: 1e9, withoutAmount: 1e9, amount: HUGE };

describe('a statement', () => {
  it.each([
    ['no rates', []],
    [
      'rates',
      currencyCodes.map((to) => ({
        from: 'USD',
        to,
        rate: '1'.repeat(40),
        setAt: '2026-01-01T00:00:00.000Z',
      })),
    ],
  ])('is a short answer in however many currencies the books are, with %s', (_name, rates) => {
    const statement = statementFrom({
      asOf: '2026-01-01T00:00:00.000000Z',
      scope: {
        left: 'platform_a',
        right: 'platform_b',
        types: storedEntityTypes,
        projectId: 'prj_0',
        currency: 'EUR',
        through: undefined,
        ageBy: 'seen',
      },
      figures: storedEntityTypes.map((entityType) => ({
        entityType,
        counts: {
          agree: 1e9,
          disagree: 1e9,
          only: { left: 1e9, right: 1e9 },
          ambiguous: { left: 1e9, right: 1e9 },
          accepted: 1e9,
        },
        ages: [1e9, 1e9, 1e9, 1e9],
        totals: {
          from: sum,
          lines: [],
          to: sum,
          outside: (['left', 'right'] as const).flatMap((side) =>
            currencyCodes.map((currency) => ({ side, currency, records: 1e9, amount: HUGE })),
          ),
        },
      })),
      deleted: new Map(),
      currencies: currencyCodes,
      rates,
      reasons: [],
    });
    const { rates: used, missing_rates: missing } = statement;
    expect(used.length + missing.length).toBe(currencyCodes.length - 1);
    expect(stringifyJson(statement).length).toBeLessThan(MOST_BYTES);
  });
});
