import { byObject, copyQuery, type CopyRow } from '../objects/copy-rows';
import { columnsWithin, largeBytes } from '../objects/large-columns';
import { recordsAt } from '../changes/record-versions.repository';
import type { CustomerTransaction } from '../../database/transaction/store';
import { termsFrom } from '../terms/terms-text';
import { termsColumn } from '../terms/terms.repository';
import { timeText } from '../../database/transaction/time-text';
import { shownState, type ShownState } from './shown-state';

/** States of objects by time, then by ID. An object that did not exist at a time has no entry for it. */
export type States = ReadonlyMap<string, ReadonlyMap<string, ShownState>>;

type StateRow = CopyRow & { readonly at: string; readonly fits: true };
/** A row of a time that exceeds the byte limit, without its large columns. */
type LeftRow = { readonly at: string; readonly fits: false };

/** States of objects at the latest of the requested times. */
export interface BoundedStates {
  readonly states: States;
  /** The times whose states were read, in the order in which they were given. */
  readonly times: readonly string[];
}

const query = copyQuery(undefined, 'm.at');
// All rows of one time are peers in the window, so a time fits as a whole.
const rowsAt = `
  select ${timeText('measured.at')} as at, measured.fits, ${columnsWithin(query.names, 'measured.fits')}
  from (
    select m.at, copy.*, sum(${largeBytes('copy')}) over latest <= $4
      or dense_rank() over latest <= 2 as fits
    from unnest($3::timestamptz[]) m (at)
    cross join lateral (
      select ${query.columns} from ${recordsAt('m.at')} r ${query.joins} where r.canonical_id = any ($2::text[]) offset 0
    ) copy
    window latest as (order by m.at desc)
  ) measured`;
const termsAt = `
  select ${timeText('m.at')} as at, ${termsColumn('m.at')} as terms from unnest($2::timestamptz[]) m (at)`;

/**
 * Reads objects as they were at some times, with their parents and the terms at each time. It returns the states of the
 * latest times, as many as fit. The two latest times with a state are always included, so that the caller can compare
 * them.
 *
 * @param ids of the objects at those times
 * @param times UTC with microseconds. The caller names few, because each object is read once for each of them
 * @param bytes of stored text that are read at most
 */
export async function statesAt(
  tx: CustomerTransaction,
  ids: readonly string[],
  times: readonly string[],
  bytes: number,
): Promise<BoundedStates> {
  const [found, terms] = await Promise.all([
    tx.query<StateRow | LeftRow>(rowsAt, [ids, times, bytes]),
    tx.query<{ at: string; terms: string | null }>(termsAt, [times]),
  ]);
  const rows = found.filter((row): row is StateRow => row.fits);
  const left = found
    .flatMap((row) => (row.fits ? [] : [row.at]))
    .reduce((one, other) => (one > other ? one : other), '');
  const read = times.filter((at) => at > left);
  const agreed = new Map(terms.map((one) => [one.at, termsFrom(one.terms)]));
  const states = new Map(
    read.map((at) => {
      const objects = byObject(rows.filter((row) => row.at === at));
      const then = agreed.get(at) ?? termsFrom(null);
      return [at, new Map(objects.map((object) => [object[0].canonical_id, shownState(object, then)]))];
    }),
  );
  return { states, times: read };
}
