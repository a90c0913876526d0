import { platformNames } from '@app/mapper';
import type { Store } from '../database/store';
import { readFormer, readObjects, type FormerRow, type ObjectPage } from './refresh/page';

/** Objects as they were at a time, and the records that they had before. */
export interface PastPage extends ObjectPage {
  readonly former: ReadonlyMap<string, readonly FormerRow[]>;
  /** The last object of the page; undefined behind the last page. */
  readonly next: string | undefined;
}

// An object has one record of a platform at most, so as many rows have as many objects as are wanted.
const idsAt = `
  select canonical_id as id from (
    (select n.canonical_id from platform_records n
     where n.customer_id = $1 and n.canonical_id > $2 and n.since <= $3::timestamptz order by n.canonical_id limit $5)
    union
    (select v.canonical_id from record_versions v
     where v.customer_id = $1 and v.canonical_id > $2 and v.since <= $3::timestamptz and v.until > $3::timestamptz
     order by v.canonical_id limit $5)
  ) there
  order by canonical_id limit $4`;

/** A page of a customer's objects at a time in the past, by ID. */
export async function readPastObjects(
  store: Store,
  customerId: string,
  { time, after, limit }: { readonly time: string; readonly after: string; readonly limit: number },
): Promise<PastPage> {
  const rows = await store.query<{ id: string }>(idsAt, [
    customerId,
    after,
    time,
    limit,
    limit * platformNames.length,
  ]);
  const ids = rows.map(({ id }) => id);
  const page = await readObjects(store, customerId, ids, time);
  const isLast = ids.length < limit && page.ids.length === ids.length;
  return {
    ...page,
    former: await readFormer(store, customerId, page.ids, time),
    next: isLast ? undefined : page.ids.at(-1),
  };
}
