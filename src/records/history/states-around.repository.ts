import { byObject, copyQuery, type CopyRow } from '../objects/copy-rows';
import { columnsWithin, largeBytes } from '../objects/large-columns';
import { recordsAt } from '../changes/record-versions.repository';
import type { CustomerTransaction } from '../../database/transaction/store';
import { timeText } from '../../database/transaction/time-text';
import { termsFrom } from '../terms/terms-text';
import { termsColumn } from '../terms/terms.repository';
import { shownState, type ShownState } from './shown-state';

/** An object, and the time of a change of it; in UTC, with microseconds. */
export interface ChangedObject {
  readonly id: string;
  readonly at: string;
}

/** An object just before a change, and with it; undefined where it did not exist. */
export interface StatesAround {
  readonly before: ShownState | undefined;
  readonly after: ShownState | undefined;
}

type StateRow = CopyRow & { readonly place: number; readonly is_before: boolean; readonly fits: true };
/** A row that exceeds the byte limit, without its large columns. */
type LeftRow = { readonly place: number; readonly fits: false };

const query = copyQuery(undefined, 's.at');
// All rows of one object are peers in the window, so its states fit as a whole.
const rowsAround = `
  select measured.place, measured.is_before, measured.fits, ${columnsWithin(query.names, 'measured.fits')}
  from (
    select m.place::int as place, s.is_before, copy.*,
      sum(${largeBytes('copy')}) over earlier <= $4
        or dense_rank() over earlier = 1 as fits
    from unnest($2::text[], $3::timestamptz[]) with ordinality m (id, at, place)
    cross join lateral (values (m.at, false), (m.at - interval '1 microsecond', true)) s (at, is_before)
    cross join lateral (
      select ${query.columns} from ${recordsAt('s.at')} r ${query.joins} where r.canonical_id = m.id offset 0
    ) copy
    window earlier as (order by m.place)
  ) measured`;
const termsAround = `
  select ${timeText('m.at')} as at, ${termsColumn('m.at')} as terms
  from (select distinct n.at from unnest($2::timestamptz[]) n (at)) m`;

/**
 * Reads objects as they were before and after changes of them, with their parents and the terms of that time.
 *
 * @param bytes of stored text that are read at most; the first object is always read
 * @returns for the first of the objects, as many as fit, in their order
 */
export async function statesAround(
  tx: CustomerTransaction,
  objects: readonly ChangedObject[],
  bytes: number,
): Promise<readonly StatesAround[]> {
  if (objects.length === 0) return [];
  const times = objects.map(({ at }) => at);
  const [found, terms] = await Promise.all([
    tx.query<StateRow | LeftRow>(rowsAround, [objects.map(({ id }) => id), times, bytes]),
    tx.query<{ at: string; terms: string | null }>(termsAround, [times]),
  ]);
  const rows = found.filter((row): row is StateRow => row.fits);
  const end = found.reduce((least, { place, fits }) => (fits ? least : Math.min(least, place)), Infinity);
  const agreed = new Map(terms.map((one) => [one.at, termsFrom(one.terms)]));
  return objects.slice(0, end - 1).map(({ at }, index) => {
    const own = rows.filter(({ place }) => place === index + 1);
    const state = (isBefore: boolean): ShownState | undefined => {
      const [object] = byObject(own.filter((row) => row.is_before === isBefore));
      return object && shownState(object, agreed.get(at) ?? termsFrom(null));
    };
    return { before: state(true), after: state(false) };
  });
}
