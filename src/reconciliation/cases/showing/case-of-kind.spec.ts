import type { CaseKind } from '../../../records/events/case-kinds';
import type { CaseDetail } from './case-detail';
import { ofKind } from './case-of-kind';

const none: CaseDetail = { records: [], candidates: [] };
const values = { platform_a: { canonical: 'x', native: 'x', path: 'notes' } };
const differing = { values, stands: 'platform_a', why: 'It comes first' } as const;
const amount = { amount: 1, currency: 'USD' };
const lonely = { missing_on: 'platform_b', number: null, amount: null } as const;
const onA = { platform: 'platform_a', field: null } as const;
const fieldOnA = { platform: 'platform_a', field: 'amount' } as const;
const ofTwo = { platform: null, field: 'amount' } as const;
type Subject = typeof onA | typeof fieldOnA | typeof ofTwo;

/** What each kind has, and what it may have besides. */
const kinds: readonly (readonly [CaseKind, Subject, Partial<CaseDetail>, Partial<CaseDetail>])[] = [
  ['disagreement', ofTwo, differing, { projects: { platform_a: null } }],
  ['only_on', onA, lonely, {}],
  ['ambiguous', onA, lonely, {}],
  ['other_project', fieldOnA, { projects: { platform_a: null }, number: '1', amount }, {}],
  ['unreadable', fieldOnA, { problem: 'expected a date' }, { projects: { platform_b: 'proj_1' } }],
  ['not_comparable', ofTwo, {}, differing],
  ['not_comparable', fieldOnA, {}, { amount }],
];

describe('the members of a case', () => {
  it.each(kinds)('of the kind %s are there', (kind, subject, needed, optional) => {
    const detail: CaseDetail = { ...none, ...needed, ...optional };
    expect(ofKind({ kind, ...subject }, detail)).toEqual({ kind, ...subject, ...needed, ...optional });
    expect(ofKind({ kind, ...subject }, { ...none, ...needed })).toEqual({ kind, ...subject, ...needed });
  });

  it.each(
    kinds.flatMap(([kind, subject, needed]) =>
      Object.keys(needed)
        .filter((member) => !['number', 'amount'].includes(member))
        .map((member) => [kind, member, subject, needed] as const),
    ),
  )('of the kind %s are not without %s', (kind, member, subject, needed) => {
    expect(() => ofKind({ kind, ...subject }, { ...none, ...needed, [member]: undefined })).toThrow(
      'A case lacks what its kind has',
    );
  });

  it('say null for a number and an amount that are not stored', () => {
    const { number, amount: shown, ...stored } = lonely;
    expect(ofKind({ kind: 'only_on', ...onA }, { ...none, ...stored })).toMatchObject({
      number,
      amount: shown,
    });
  });
});
