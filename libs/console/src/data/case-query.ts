import type { operations } from '@app/client';

/** What chooses and orders cases, by the names of the API. */
export type CaseQuery = Omit<
  NonNullable<operations['listCases']['parameters']['query']>,
  'cursor' | 'limit' | 'facets'
>;

/** Members of the address that choose cases. */
const caseMembers = [
  'state',
  'kind',
  'entity_type',
  'platform',
  'project_id',
  'field',
  'owner',
  'age',
  'currency',
  'as_of',
  'through',
  'age_by',
  'sort',
] as const satisfies readonly (keyof CaseQuery)[];

export type CaseMember = (typeof caseMembers)[number];

/** The list that an address asks for. What the address says is checked by the service, which names what is wrong. */
export function caseQueryOf(members: URLSearchParams): CaseQuery {
  return Object.fromEntries(
    caseMembers.flatMap((name) => {
      const value = members.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

/** The members of the address of a query, some of them replaced. Undefined removes a member. */
export function membersOf(
  query: CaseQuery,
  changed: Partial<Record<CaseMember, string | undefined>> = {},
): Record<string, string | undefined> {
  return { ...Object.fromEntries(caseMembers.map((name) => [name, query[name]])), ...changed };
}

/** Whether the query selects among the open cases. Then an empty list does not mean that no case is open. */
export function isFiltered({ state, sort: _sort, age_by: _ageBy, ...chosen }: CaseQuery): boolean {
  return (state ?? 'open') !== 'open' || Object.keys(chosen).length > 0;
}
