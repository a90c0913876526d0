import type { StatementQuery } from '../data/queries';
import type { FormTexts } from '../parts/form-texts';
import { momentOf } from '../parts/values/time-text';

/** Members of the address that the screen knows, by the names of the API. */
const scopeMembers = ['as_of', 'through', 'currency', 'entity_type', 'project_id'] as const;

/** The statement that an address asks for. What the address says is checked by the service, which names what is wrong. */
export function queryOf(members: URLSearchParams): StatementQuery {
  return Object.fromEntries(
    scopeMembers.flatMap((name) => {
      const value = members.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

/** The members of the address of what a form says. A day that stays as it was keeps the moment of that day which the statement had. */
export function membersOf(
  texts: FormTexts,
  before: StatementQuery,
  timeZone: string,
): Record<string, string | undefined> {
  const members = Object.fromEntries(scopeMembers.map((name) => [name, texts[name]]));
  return { ...members, as_of: momentOf(texts['as_of'] ?? '', before.as_of, timeZone) };
}
