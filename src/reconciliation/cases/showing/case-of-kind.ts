import type { CaseResponse } from '../case-by-kind.response';
import type { CommonCase } from '../cases.response';
import type { CaseRow } from '../listing/case-row';
import type { CaseDetail } from './case-detail';

type WithoutCommon<Kind> = Kind extends CommonCase ? Omit<Kind, keyof CommonCase> : never;

/** The members that only cases of one kind have. */
export type CaseOfKind = WithoutCommon<CaseResponse>;

/**
 * The members of a case that its kind has. Pure.
 *
 * @throws Error if one is missing: `casesOf` stores all of them
 */
export function ofKind(
  { kind, platform, field }: Pick<CaseRow, 'kind' | 'platform' | 'field'>,
  { projects, values, stands, why, missing_on, number, amount, problem }: CaseDetail,
): CaseOfKind {
  const inProjects = projects !== undefined && { projects };
  switch (kind) {
    case 'disagreement':
      return {
        kind,
        platform,
        field: present(field),
        ...inProjects,
        values: present(values),
        stands: present(stands),
        why: present(why),
      };
    case 'only_on':
    case 'ambiguous':
      return {
        kind,
        platform: present(platform),
        field,
        missing_on: present(missing_on),
        number: number ?? null,
        amount: amount ?? null,
      };
    case 'other_project':
      return {
        kind,
        platform: present(platform),
        field: present(field),
        projects: present(projects),
        number: number ?? null,
        amount: amount ?? null,
      };
    case 'unreadable':
      return {
        kind,
        platform: present(platform),
        field: present(field),
        ...inProjects,
        problem: present(problem),
      };
    case 'not_comparable':
      return {
        kind,
        platform,
        field: present(field),
        ...inProjects,
        ...(values !== undefined && { values }),
        ...(stands !== undefined && { stands }),
        ...(why !== undefined && { why }),
        ...(amount !== undefined && { amount }),
        ...(problem !== undefined && { problem }),
      };
  }
}

function present<Value>(value: Value | null | undefined): Value {
  if (value === undefined || value === null) throw new Error('A case lacks what its kind has');
  return value;
}
