import type { StatementQuery } from '../data/queries';

/** Members of the address that the screen knows, by the names of the API. */
export const scopeMembers = ['as_of', 'through', 'currency', 'entity_type', 'project_id'] as const;

/** The statement that an address asks for. What the address says is checked by the service, which names what is wrong. */
export function queryOf(members: URLSearchParams): StatementQuery {
  return Object.fromEntries(
    scopeMembers.flatMap((name) => {
      const value = members.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}
