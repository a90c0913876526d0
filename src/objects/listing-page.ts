import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { Store } from '../database/store';
import { loadObjects, type LoadedObject } from '../records/stored-objects';

/** What one page holds at most. The first record always comes, however large it is. */
const PAGE_LIMIT = { records: 200, payloadBytes: 1024 * 1024 } as const;

/** What is listed. */
export interface Listing {
  readonly customerId: string;
  readonly platform: PlatformName;
  readonly entityType: StoredEntityType;
}

/** Where a listing goes on. */
export interface ListingPosition {
  /** The last record that was listed; both empty before the first. */
  readonly nativeOrder: string;
  readonly platformId: string;
  /** Records to ask for: no more than are likely to fit, since the query measures each of them. */
  readonly records: number;
}

export const listingStart: ListingPosition = {
  nativeOrder: '',
  platformId: '',
  records: PAGE_LIMIT.records,
};

/** One record of a listing, and the object it belongs to. */
export interface ListedRecord {
  readonly platformId: string;
  readonly loaded: LoadedObject;
}

export interface ListingPage {
  readonly records: readonly ListedRecord[];
  /** Undefined after the last page. */
  readonly next: ListingPosition | undefined;
}

interface KeyRow {
  readonly canonical_id: string;
  readonly native_order: string;
  readonly platform_id: string;
  /** Bytes of the payloads of all records of the object. */
  readonly size: number;
}

const keysOfPage = `
  select r.canonical_id, r.native_order, r.platform_id, (
    select sum(octet_length(copy.payload::text))::int from platform_records copy
    where copy.customer_id = $1 and copy.canonical_id = r.canonical_id
  ) as size
  from platform_records r
  where r.customer_id = $1 and r.platform = $2 and r.entity_type = $3 and (r.native_order, r.platform_id) > ($4, $5)
  order by r.native_order, r.platform_id
  limit $6`;

/**
 * A page of a platform's records of one type, by native ID (numbers as numbers), each with its whole object. To be run
 * on one snapshot: the page then shows one moment.
 */
export async function readListingPage(
  store: Store,
  { customerId, platform, entityType }: Listing,
  { nativeOrder, platformId, records: asked }: ListingPosition,
): Promise<ListingPage> {
  const found = await store.query<KeyRow>(keysOfPage, [
    customerId,
    platform,
    entityType,
    nativeOrder,
    platformId,
    asked,
  ]);
  const keys = found.slice(0, countThatFit(found));
  const last = keys.at(-1);
  if (last === undefined) return { records: [], next: undefined };
  const ids = keys.map((key) => key.canonical_id);
  const objects = new Map((await loadObjects(store, customerId, ids)).map((object) => [object.id, object]));
  const records = keys.flatMap((key): ListedRecord[] => {
    const loaded = objects.get(key.canonical_id);
    return loaded === undefined ? [] : [{ platformId: key.platform_id, loaded }];
  });
  const isLast = found.length < asked && keys.length === found.length;
  return { records, next: isLast ? undefined : positionAfter(last, keys.length) };
}

function countThatFit(rows: readonly KeyRow[]): number {
  let bytes = 0;
  const beyond = rows.findIndex(({ size }, index) => {
    bytes += size;
    return index > 0 && bytes > PAGE_LIMIT.payloadBytes;
  });
  return beyond < 0 ? rows.length : beyond;
}

function positionAfter({ native_order, platform_id }: KeyRow, fitted: number): ListingPosition {
  return {
    nativeOrder: native_order,
    platformId: platform_id,
    records: Math.min(PAGE_LIMIT.records, 2 * fitted),
  };
}
