import type { ListedDecision } from '../data/decisions';
import { concerning, evidenceWords, otherCandidates, pairOf, whyNotLinked } from './pair';

const a = { platform: 'platform_a', platform_id: '1' } as const;
const b = { platform: 'platform_b', platform_id: '2' } as const;
const c = { platform: 'platform_b', platform_id: '3' } as const;

describe('the pair of a case', () => {
  it('is its own two records, which can be parted', () => {
    expect(pairOf({ records: [a, b] }, c)).toEqual({ records: [a, b], isLinked: true });
  });

  it('is its record and the one that was chosen; without a choice there is none', () => {
    expect(pairOf({ records: [a] }, b)).toEqual({ records: [a, b], isLinked: false });
    expect(pairOf({ records: [a] }, undefined)).toBeUndefined();
  });
});

describe('the other candidates', () => {
  it('are those that the decision is not about, by their names alone', () => {
    const candidates = [b, c].map((record) => ({ ...record, canonical_id: 'pay_1', linked: false }));
    expect(otherCandidates({ candidates }, [a, c])).toEqual([b]);
    expect(otherCandidates({ candidates }, [a, b, c])).toEqual([]);
  });
});

describe('why a record is not linked', () => {
  const candidate = { ...b, canonical_id: 'pay_2', linked: false };

  it('names the key that both have, whatever the kind of the case', () => {
    const one = { records: [{ ...a, canonical_id: 'pay_1' }], candidates: [candidate], number: 'CHK-1' };
    expect(whyNotLinked(one, candidate)).toContain('the key CHK-1, but it occurs more than once');
  });
});

describe('a decision in the way', () => {
  const standing = (id: string, ...records: (typeof a | typeof b | typeof c)[]): ListedDecision => ({
    id,
    decision: 'link',
    entity_type: 'payment',
    records: records.map((record) => ({ ...record, canonical_id: null })),
    reason: 'Seen',
    decided_by: 'Kim',
    decided_at: '2026-01-01T00:00:00Z',
    status: 'standing',
    withdrawn: null,
  });

  it('is the one about both records, else one about either', () => {
    const decisions = [standing('other', a, c), standing('both', a, b)];
    expect(concerning(decisions, [a, b])?.id).toBe('both');
    expect(concerning(decisions, [b, c])?.id).toBe('other');
    expect(concerning([], [a, b])).toBeUndefined();
  });
});

describe('words', () => {
  it('say why a link left a record out', () => {
    const link = {
      records: [],
      rule: 'unique_key',
      rule_version: 1,
      keys: [],
      parents: [],
      candidates: [{ ...a, canonical_id: 'pay_1', why: 'repeats' }],
      more_candidates: 0,
      linked_at: null,
      by: null,
    } as const;
    const evidence = [{ ...link, records: [], keys: [], parents: [], candidates: [...link.candidates] }];
    expect(evidenceWords(evidence, a)).toMatch(/several records had its key/);
    expect(evidenceWords(evidence, b)).toBeUndefined();
  });
});
