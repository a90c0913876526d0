import { daysText, settlementWords, whyWords } from './case-words';

const base = {
  id: 'case_1',
  version: null,
  entity_type: 'payment',
  canonical_id: 'pay_1',
  label: null,
  counterparty: null,
  project: null,
  project_id: null,
  records: [],
  platform: null,
  field: null,
  difference: null,
  opened_at: '2026-01-01T00:00:00Z',
  age_days: 1,
  document_date: null,
  due_date: null,
  state: 'open',
  closed_at: null,
  closed_by: null,
  owner: null,
  accepted: null,
  amounts: {},
  links: {},
  settlement: { by: 'none', writable: {} },
  candidates: [],
} as const;

describe('words of cases', () => {
  it('say why there is one', () => {
    const differs = {
      ...base,
      kind: 'disagreement',
      field: 'notes',
      stands: 'platform_a',
      why: 'agreed',
      values: {},
    } as const;
    expect(whyWords({ ...differs, records: [], candidates: [] })).toBe(
      'notes: that of platform_a counts, because agreed',
    );
    const alone = {
      ...base,
      platform: 'platform_a',
      missing_on: 'platform_b',
      number: 'CHK-1',
      amount: null,
    } as const;
    const candidate = {
      platform: 'platform_a',
      platform_id: '1',
      canonical_id: 'pay_2',
      linked: false,
    } as const;
    expect(whyWords({ ...alone, kind: 'ambiguous', records: [], candidates: [candidate] })).toBe(
      '1 record has its key on the other platform',
    );
    const onB = { platform: 'platform_b', platform_id: '7' } as const;
    expect(whyWords({ ...alone, kind: 'only_on', records: [], candidates: [] })).toBe(
      'no such record on platform_b',
    );
    expect(whyWords({ ...alone, kind: 'only_on', records: [onB], candidates: [] })).toBe(
      'its record on platform_b has a later date',
    );
  });

  it('say why amounts cannot be compared', () => {
    const whyOf = (more: object): string =>
      whyWords({ ...base, kind: 'not_comparable', field: 'amount', records: [], candidates: [], ...more });
    const dinars = { native: { amount: 1_000, currency: 'IQD' }, converted: null };
    const dollars = {
      native: { amount: 100, currency: 'USD' },
      converted: { amount: 100, currency: 'USD' },
    };
    const values = {
      platform_a: { canonical: dollars.native, native: '1.00', path: 'amount' },
      platform_b: { canonical: dinars.native, native: 1, path: 'amount' },
    };
    expect(whyOf({ values, stands: 'platform_a', why: 'agreed' })).toBe(
      'no rate leads from one amount to the other',
    );
    const problem = 'the amount of platform_b is in a currency that is not known, so it cannot be compared';
    expect(whyOf({ platform: 'platform_b', problem })).toBe(problem);
    expect(whyOf({ platform: 'platform_b', amounts: { platform_b: dinars } })).toBe(
      'no rate leads from IQD to the usual currency of statements',
    );
    expect(whyOf({ amounts: { platform_a: dollars, platform_b: dinars } })).toBe(
      'a rate leads from one of the two amounts alone to the usual currency of statements',
    );
  });

  it.each([
    [
      { by: 'propagate', field: 'status', writable: { platform_a: true, platform_b: 'moved by actions' } },
      ['A change of status on platform_a would settle it.', 'Not on platform_b: moved by actions.'],
    ],
    [{ by: 'decision', writable: {} }, ['A decision would settle it: which of the records are one.']],
    [
      { by: 'platform', writable: { platform_a: 'it needs project_id' } },
      [
        'It has to be corrected on the platform itself; the next reading then closes it.',
        'Not on platform_a: it needs project_id.',
      ],
    ],
  ] as const)('say what would settle %j', (settlement, words) => {
    expect(settlementWords({ settlement, state: 'open' })).toEqual(words);
  });

  it('count days', () => {
    expect([daysText(1), daysText(1000)]).toEqual(['1 day', '1,000 days']);
  });
});
