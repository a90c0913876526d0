import type { Platform } from '../data/queries';
import { fieldRows } from './field-rows';
import type { Disagreement } from './use-object';

const usd = { amount: 100, currency: 'USD' };
const qar = { amount: 364, currency: 'QAR' };
const notes: Disagreement = {
  field: 'notes',
  values: { platform_a: { native: 'x', canonical: 'x' }, platform_b: { native: 'y', canonical: 'y' } },
  stands: 'platform_a',
  why: 'platform_a comes first',
};
const records = new Map<Platform, Readonly<Record<string, unknown>>>([
  ['platform_a', { id: 'p', amount: usd, notes: 'x', date: '2026-01-01', invoice_id: 'inv', status: null }],
  ['platform_b', { amount: qar, notes: 'stale', date: '2026-01-01', description: 'text' }],
]);
const rows = fieldRows(
  {
    id: 'p',
    amount: usd,
    notes: 'x',
    date: '2026-01-01',
    invoice_id: 'inv',
    status: null,
    provider_metadata: {},
  },
  records,
  [notes],
);

describe('fieldRows', () => {
  it('compares what both platforms have, differences first, by what the service says', () => {
    expect(rows.map(({ field, compared }) => [field, compared])).toEqual([
      ['notes', 'other'],
      ['amount', 'apart'],
      ['date', 'same'],
      ['description', 'alone'],
    ]);
  });

  it('shows of a difference the values that the service names', () => {
    expect(rows[0]).toMatchObject({ values: { platform_a: 'x', platform_b: 'y' }, disagreement: notes });
  });

  it('says of texts that look alike that nobody sees the difference', () => {
    const number: Disagreement = {
      ...notes,
      values: {
        platform_a: { native: 'PO  1', canonical: 'PO  1' },
        platform_b: { native: 'PO 1', canonical: 'PO 1' },
      },
    };
    expect(fieldRows({}, new Map(), [number])).toMatchObject([{ compared: 'unseen' }]);
  });

  it('shows a difference in a reference, and what is written where nobody can read it', () => {
    const project: Disagreement = {
      ...notes,
      field: 'project_id',
      values: {
        platform_a: { native: '7', canonical: null },
        platform_b: { native: null, canonical: 'proj' },
      },
    };
    expect(fieldRows({}, new Map(), [project])).toMatchObject([
      { field: 'project_id', values: { platform_a: '7', platform_b: 'proj' } },
    ]);
  });
});
