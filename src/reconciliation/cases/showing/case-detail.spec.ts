import { caseDetailFrom } from './case-detail';

const records = [{ platform: 'platform_a', platform_id: '1' }];

describe('the detail of a case', () => {
  it.each([
    [
      'a disagreement',
      {
        values: {
          platform_a: { canonical: '2026-02-01', native: '2026-02-01', path: 'date' },
          platform_b: { canonical: { amount: 1, currency: 'USD' }, native: null, path: null },
        },
        stands: 'platform_a',
        why: 'It comes first',
        records,
      },
    ],
    ['one alone', { missing_on: 'platform_b', number: null, amount: null, records }],
    [
      'an ambiguous one',
      {
        missing_on: 'platform_b',
        number: 'CHK-1',
        amount: { amount: 1000, currency: 'USD' },
        records,
        candidates: [{ platform: 'platform_b', platform_id: 'b', canonical_id: 'pay_1', linked: true }],
      },
    ],
    ['what cannot be read', { problem: 'expected a date', records }],
  ])('of %s comes back as it was stored', (_name, detail) => {
    expect(JSON.stringify(caseDetailFrom(JSON.stringify(detail)).shown)).toBe(
      JSON.stringify({ ...detail, candidates: 'candidates' in detail ? detail.candidates : [] }),
    );
  });

  it.each([
    '[]',
    '{"records":{}}',
    '{"records":[{"platform":"platform_z","platform_id":"1"}]}',
    '{"records":[{"platform":"platform_a","platform_id":1}]}',
    '{"records":[],"values":{"platform_a":{"canonical":1}}}',
    '{"records":[],"amount":{"amount":1}}',
    '{"records":[],"why":7}',
  ])('is not made of %s', (text) => {
    expect(() => caseDetailFrom(text)).toThrow('The detail of a case');
  });
});
