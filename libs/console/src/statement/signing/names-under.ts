import type { ReadStatement } from '../../data/queries';
import type { Signoff } from '../../data/signoffs';

/** Earlier ones than these are in the list of all. */
const EARLIER = 4;

type Scoped = Pick<ReadStatement, 'query' | 'digest' | 'through' | 'currency' | 'project_id' | 'platforms'>;

/** The names under exactly the figures of a statement, and the latest under other figures of its scope. */
export function namesUnder(
  signoffs: readonly Signoff[],
  statement: Scoped,
): { readonly these: readonly Signoff[]; readonly others: readonly Signoff[] } {
  const same = signoffs.filter(
    (one) =>
      one.through === statement.through &&
      one.currency === statement.currency &&
      (one.entity_type ?? undefined) === statement.query.entity_type &&
      one.project_id === statement.project_id &&
      one.platforms.join() === statement.platforms.join(),
  );
  return {
    these: signoffs.filter(({ digest }) => digest === statement.digest),
    others: same.filter(({ digest }) => digest !== statement.digest).slice(0, EARLIER),
  };
}
