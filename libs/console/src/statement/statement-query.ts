import type { StatementQuery } from '../data/queries';
import type { FormTexts } from '../parts/form-texts';
import { momentOf } from '../parts/values/time-text';

/** Members of the address that the screen knows, by the names of the API. */
const scopeMembers = ['as_of', 'through', 'currency', 'entity_type', 'project_id'] as const;

/** The statement query of an address. The service checks its values, and names invalid ones. */
export function queryOf(members: URLSearchParams): StatementQuery {
  return Object.fromEntries(
    scopeMembers.flatMap((name) => {
      const value = members.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}

/**
 * The address parameters for the values of a form. A day that was not changed keeps the moment of that day that the
 * statement had.
 */
export function membersOf(
  texts: FormTexts,
  before: StatementQuery,
  timeZone: string,
): Record<string, string | undefined> {
  const members = Object.fromEntries(scopeMembers.map((name) => [name, texts[name]]));
  return { ...members, as_of: momentOf(texts['as_of'] ?? '', before.as_of, timeZone) };
}
