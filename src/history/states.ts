import { byObject, copyQuery, type CopyRow } from '../records/copy-rows';
import { recordsAt } from '../records/record-versions';
import type { Store } from '../database/store';
import { termsFrom } from '../terms/terms-text';
import { termsColumn } from '../terms/terms.repository';
import { timeText } from '../database/time-text';
import { shownState, type ShownState } from './shown-state';

/** What objects were at some times: by time, then by ID; without an entry where there was no such object. */
export type States = ReadonlyMap<string, ReadonlyMap<string, ShownState>>;

type StateRow = CopyRow & { readonly at: string };

const query = copyQuery(undefined, 'm.at');
const rowsAt = `
  select ${timeText('m.at')} as at, copy.* from unnest($3::timestamptz[]) m (at)
  cross join lateral (
    select ${query.columns} from ${recordsAt('m.at')} r ${query.joins} where r.canonical_id = any ($2::text[])
  ) copy`;
const termsAt = `
  select ${timeText('m.at')} as at, ${termsColumn('m.at')} as terms from unnest($2::timestamptz[]) m (at)`;

/**
 * Objects as they were at some times, with their parents and the terms of then.
 *
 * @param ids of the objects at those times
 * @param times UTC with microseconds; few, since each object is read anew for each of them
 */
export async function statesAt(
  store: Store,
  customerId: string,
  ids: readonly string[],
  times: readonly string[],
): Promise<States> {
  const [rows, terms] = await Promise.all([
    store.query<StateRow>(rowsAt, [customerId, ids, times]),
    store.query<{ at: string; terms: string | null }>(termsAt, [customerId, times]),
  ]);
  const agreed = new Map(terms.map((one) => [one.at, termsFrom(one.terms)]));
  return new Map(
    times.map((at) => {
      const objects = byObject(rows.filter((row) => row.at === at));
      const then = agreed.get(at) ?? termsFrom(null);
      return [at, new Map(objects.map((object) => [object[0].canonical_id, shownState(object, then)]))];
    }),
  );
}
