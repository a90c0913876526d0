import type { UndatedCase } from '../case-parts';
import { valuesDigestOf } from './values-digest';

const value = (canonical: unknown, native: unknown = canonical) => ({ canonical, native, path: 'amount' });

function disagreement(detail: object = {}): UndatedCase {
  return {
    kind: 'disagreement',
    field: 'amount',
    projectId: 'proj_1',
    difference: 2000n,
    detail: {
      values: { platform_a: value(1000, '10.00'), platform_b: value(3000) },
      stands: 'platform_a',
      records: [],
      ...detail,
    },
  } as unknown as UndatedCase;
}

function alone(changes: object = {}): UndatedCase {
  const detail = { number: 'CHK-1', amount: { amount: 5, currency: 'USD' }, records: [] };
  return {
    kind: 'only_on',
    field: null,
    projectId: 'proj_1',
    difference: 5n,
    detail,
    ...changes,
  } as unknown as UndatedCase;
}

/** Linked records of which one has an amount. */
function oneSided(changes: object = {}): UndatedCase {
  return alone({
    ...{ kind: 'unreadable', field: 'amount', difference: 824n },
    detail: { problem: 'platform_a has no amount', records: [] },
    amounts: [null, { amount: 3000, currency: 'QAR' }],
    ...changes,
  });
}

describe('the digest of the values of a case', () => {
  const digest = valuesDigestOf(disagreement(), '2026-06-30');

  it.each([
    [
      'the spelling of a value',
      disagreement({ values: { platform_a: value(1000, '10.0'), platform_b: value(3000) } }),
    ],
    ['the value that stands', disagreement({ stands: 'platform_b', why: 'a rule says so' })],
    ['the project', { ...disagreement(), projectId: 'proj_2' }],
    ['the rate', { ...disagreement(), difference: 2100n }],
  ])('of a field does not change with %s', (_name, changed) => {
    expect(valuesDigestOf(changed, '2026-07-01')).toBe(digest);
  });

  it.each(['platform_a', 'platform_b'])('of a field changes with the value on %s', (platform) => {
    const values = { platform_a: value(1000, '10.00'), platform_b: value(3000), [platform]: value(1) };
    expect(valuesDigestOf(disagreement({ values }), '2026-06-30')).not.toBe(digest);
  });

  it('of an amount that one platform lacks changes with the amount, not with the rate', () => {
    const before = valuesDigestOf(oneSided(), null);
    expect(valuesDigestOf(oneSided({ difference: 600n }), null)).toBe(before);
    for (const other of [
      { amount: 3001, currency: 'QAR' },
      { amount: 3000, currency: 'AED' },
    ])
      expect(valuesDigestOf(oneSided({ amounts: [null, other] }), null)).not.toBe(before);
  });

  it.each([
    [
      'amount',
      alone({ detail: { number: 'CHK-1', amount: { amount: 6, currency: 'USD' }, records: [] } }),
      null,
    ],
    ['project', alone({ projectId: 'proj_2' }), null],
    ['date', alone(), '2026-06-30'],
    ['number', alone({ detail: { ...alone().detail, number: 'CHK-2' } }), null],
    ['records', alone({ detail: { ...alone().detail, records: [{ platform_id: 'a1' }] } }), null],
    ['kind', alone({ kind: 'ambiguous' }), null],
    ['problem', alone({ detail: { ...alone().detail, problem: 'expected a date' } }), null],
    [
      'candidates',
      alone({
        detail: {
          ...alone().detail,
          candidates: [{ platform: 'platform_b', platform_id: 'b1', linked: false }],
        },
      }),
      null,
    ],
  ])('of a record changes with its %s', (_name, changed, date) => {
    expect(valuesDigestOf(changed, date)).not.toBe(valuesDigestOf(alone(), null));
  });

  it('changes with the projects of a case of two projects, and with no other case’s', () => {
    const withProjects = (kind: string, project: string) =>
      valuesDigestOf(
        alone({
          kind,
          field: 'project_id',
          detail: { ...alone().detail, projects: { platform_a: project } },
        }),
        null,
      );
    expect(withProjects('other_project', 'proj_1')).not.toBe(withProjects('other_project', 'proj_2'));
    expect(withProjects('disagreement', 'proj_1')).toBe(withProjects('disagreement', 'proj_2'));
  });

  it('changes with the day of a record in another project', () => {
    const other = alone({ kind: 'other_project', field: 'project_id' });
    expect(valuesDigestOf(other, '2026-06-30')).not.toBe(valuesDigestOf(other, '2026-07-01'));
  });

  it('changes with the difference only where the case shows neither values nor an amount', () => {
    const bare = (difference: bigint) => valuesDigestOf(alone({ difference, detail: { records: [] } }), null);
    expect(bare(5n)).not.toBe(bare(6n));
    expect(valuesDigestOf(alone({ difference: 6n }), null)).toBe(valuesDigestOf(alone(), null));
  });

  it('is that of the same candidates, in whatever order and whatever they are linked to', () => {
    const withCandidates = (...candidates: readonly object[]) =>
      valuesDigestOf(alone({ detail: { ...alone().detail, candidates } }), null);
    const [one, other] = ['b1', 'b2'].map((id) => ({ platform: 'platform_b', platform_id: id }));
    const digests = [
      withCandidates({ ...one, linked: true }, { ...other }),
      withCandidates({ ...other, linked: true }, { ...one }),
    ];
    expect(digests[0]).toBe(digests[1]);
    expect(withCandidates({ ...one })).not.toBe(digests[0]);
    expect(withCandidates({ ...one })).not.toBe(withCandidates({ ...other }));
    expect(withCandidates({ ...one })).not.toBe(withCandidates({ ...one, platform: 'platform_a' }));
  });
});
