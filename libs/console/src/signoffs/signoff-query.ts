import type { SignoffQuery } from '../data/signoffs';

/** Members of the address that choose sign-offs, by the names of the API. */
const signoffMembers = ['state', 'role'] as const satisfies readonly (keyof SignoffQuery)[];

/** The list that an address asks for. What the address says is checked by the service, which names what is wrong. */
export function signoffQueryOf(members: URLSearchParams): SignoffQuery {
  return Object.fromEntries(
    signoffMembers.flatMap((name) => {
      const value = members.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );
}
