import type { CaseQuery } from '../../data/case-query';

/** What chooses the cases behind a figure of one type. */
export type Filters = Pick<CaseQuery, 'kind' | 'platform' | 'field' | 'age' | 'state'>;

const byCause: Readonly<Record<string, Filters>> = {
  only_on_platform_a: { kind: 'only_on', platform: 'platform_a' },
  only_on_platform_b: { kind: 'only_on', platform: 'platform_b' },
  ambiguous: { kind: 'ambiguous' },
  other_project: { kind: 'other_project' },
  amounts_disagree: { kind: 'disagreement', field: 'amount' },
  no_amount: { kind: 'unreadable' },
  not_comparable: { kind: 'not_comparable' },
};

/** The cases of a line; undefined for a line without cases, such as the rounding or what is dated after the cut-off. */
export function filtersOfCause(cause: string): Filters | undefined {
  return byCause[cause];
}
