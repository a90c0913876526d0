import { platformNames, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import {
  readFormer,
  readObjects,
  type FormerStep,
  type ObjectPage,
} from '../comparisons/stored/compared-objects.repository';

/** Objects as they were at a time, and the latest of the records that they had before. */
export interface PastPage extends ObjectPage {
  readonly former: ReadonlyMap<string, FormerStep>;
  /** The last object of the page; undefined behind the last page. */
  readonly next: string | undefined;
}

// An object has one record of a platform at most, so as many rows have as many objects as are wanted.
const idsAt = `
  select canonical_id as id from (
    (select n.canonical_id from platform_records n
     where n.customer_id = $1 and n.canonical_id > $2 and n.since <= $3::timestamptz and n.entity_type = any ($6::text[])
     order by n.canonical_id limit $5)
    union
    (select v.canonical_id from record_versions v
     where v.customer_id = $1 and v.canonical_id > $2 and v.since <= $3::timestamptz and v.until > $3::timestamptz
       and v.entity_type = any ($6::text[])
     order by v.canonical_id limit $5)
  ) there
  order by canonical_id limit $4`;

/** A page of a customer's objects of some types at a time in the past, by ID. */
export async function readPastObjects(
  tx: CustomerTransaction,
  {
    time,
    types,
    after,
    limit,
  }: {
    readonly time: string;
    readonly types: readonly StoredEntityType[];
    readonly after: string;
    readonly limit: number;
  },
): Promise<PastPage> {
  const rows = await tx.query<{ id: string }>(idsAt, [
    after,
    time,
    limit,
    limit * platformNames.length,
    types,
  ]);
  const ids = rows.map(({ id }) => id);
  const page = await readPastObjectsNamed(tx, ids, time);
  return { ...page, next: ids.length < limit && page.next === undefined ? undefined : page.ids.at(-1) };
}

/**
 * Objects at a time in the past, as many of the first ones as fit into a page.
 *
 * @param ids in order, each once; those that were not there then have no records
 */
export async function readPastObjectsNamed(
  tx: CustomerTransaction,
  ids: readonly string[],
  time: string,
): Promise<PastPage> {
  const page = await readObjects(tx, ids, time);
  return {
    ...page,
    former: await readFormer(
      tx,
      page.ids.map((id) => ({ id, before: undefined })),
      time,
    ),
    next: page.ids.length === ids.length ? undefined : page.ids.at(-1),
  };
}
