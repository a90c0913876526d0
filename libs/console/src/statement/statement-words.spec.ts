import { agreementOf, openObjects } from './statement-words';

const usd = (amount: number) => ({ amount, currency: 'USD' });
const nothing = { objects: 0, amount: usd(0) };
const sum = (platform: 'platform_a' | 'platform_b') => ({
  platform,
  records: 1,
  summed: 1,
  without_amount: 0,
  sum: usd(100),
});
const line = (cause: string, objects: number, amount: number) => ({
  cause,
  objects,
  amount: usd(amount),
  accepted: nothing,
});
const totals = {
  from: sum('platform_a'),
  lines: [line('ambiguous', 0, 0)],
  to: sum('platform_b'),
  outside: [],
};

const counts = {
  agree: 1,
  disagree: 0,
  only_on: { platform_a: 0, platform_b: 0 },
  ambiguous: 0,
  accepted: 0,
  deleted: { platform_a: 0, platform_b: 0 },
};
const figures = { totals, counts };

describe('agreementOf', () => {
  it('is tied out only where nothing is open and everything was read', () => {
    expect(agreementOf(figures, 0n, true).state).toBe('tied');
    expect(agreementOf(figures, 0n, false).state).toBe('offset');
    expect(agreementOf(figures, 1n, true).state).toBe('open');
  });

  it('does not take differences that offset each other for agreement', () => {
    const lines = [line('only_on_platform_a', 1, -5), line('only_on_platform_b', 1, 5)];
    expect(agreementOf({ counts, totals: { ...totals, lines } }, 0n, true).state).toBe('offset');
    const without = { ...totals, from: { ...totals.from, without_amount: 1 } };
    expect(agreementOf({ counts, totals: without }, 0n, true).state).toBe('offset');
  });

  it.each([{ disagree: 1 }, { ambiguous: 1 }, { only_on: { platform_a: 0, platform_b: 1 } }])(
    'is not tied out with %j, whatever the sums are',
    (open) => {
      expect(agreementOf({ totals, counts: { ...counts, ...open } }, 0n, true).state).toBe('offset');
      expect(agreementOf({ totals: null, counts: { ...counts, ...open } }, 0n, true).state).toBe('offset');
    },
  );

  it('goes by the counts where a type has no amounts', () => {
    expect(agreementOf({ totals: null, counts }, 0n, true)).toEqual({ state: 'tied', words: 'All agree' });
  });

  it('makes no judgement where there is nothing of the type', () => {
    const none = { ...counts, agree: 0 };
    expect(agreementOf({ totals: null, counts: none }, 0n, true)).toEqual({ state: 'none', words: 'None' });
    expect(agreementOf({ totals, counts: none }, 0n, false).words).toBe('None so far');
    const outside = [{ platform: 'platform_a' as const, records: 1, sum: usd(5) }];
    expect(agreementOf({ totals: { ...totals, outside }, counts: none }, 0n, true).state).toBe('offset');
  });

  it('calls what is accepted neither open nor agreed', () => {
    const one = { ...counts, disagree: 1 };
    const accepted = { ...one, accepted: 1 };
    expect(openObjects(one)).toBe(1);
    expect(openObjects(accepted)).toBe(0);
    expect(agreementOf({ totals: null, counts: one }, 0n, true).words).toBe('Open items');
    expect(agreementOf({ totals: null, counts: accepted }, 0n, true)).toEqual({
      state: 'offset',
      words: 'All differences are accepted',
    });
    expect(agreementOf({ totals, counts: accepted }, 0n, true)).toEqual({
      state: 'offset',
      words: 'Equal sums, with accepted differences',
    });
  });
});
