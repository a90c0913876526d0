import type { PlatformName, StoredEntityType } from '@app/mapper';
import { byObject, copyQuery, type CopyRow, type ObjectRows } from './copy-rows';

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

/** One record of a listing, and the rows of its whole object. */
export interface ListedRecord {
  readonly platformId: string;
  readonly rows: ObjectRows;
}

export interface ListingPage {
  readonly records: readonly ListedRecord[];
  /** Undefined after the last page. */
  readonly next: ListingPosition | undefined;
}

/** Runs one statement that reads. */
export type Read = <Row extends object>(
  sql: string,
  parameters: readonly unknown[],
) => Promise<readonly Row[]>;

type PageRow = CopyRow & {
  readonly page_order: string;
  readonly page_platform_id: string;
  /** Records that were asked for and are there, whether they fit or not. */
  readonly found: number;
};

const statements = new Map<StoredEntityType, string>();

/**
 * A page of a platform's records of one type, by native ID (numbers as numbers), each with its whole object. It is read
 * by one statement, so it shows one moment.
 */
export async function readListingPage(
  read: Read,
  { customerId, platform, entityType }: Listing,
  { nativeOrder, platformId, records: asked }: ListingPosition,
): Promise<ListingPage> {
  const rows = await read<PageRow>(statementFor(entityType), [
    customerId,
    platform,
    entityType,
    nativeOrder,
    platformId,
    asked,
  ]);
  const places = new Map(rows.map((row) => [row.canonical_id, row.page_platform_id]));
  const records = byObject(rows).map((object) => ({
    platformId: places.get(object[0].canonical_id) ?? '',
    rows: object,
  }));
  const last = rows.at(-1);
  if (last === undefined || (last.found < asked && records.length === last.found)) {
    return { records, next: undefined };
  }
  const next = {
    nativeOrder: last.page_order,
    platformId: last.page_platform_id,
    records: Math.min(PAGE_LIMIT.records, 2 * records.length),
  };
  return { records, next };
}

function statementFor(entityType: StoredEntityType): string {
  let sql = statements.get(entityType);
  if (sql === undefined) statements.set(entityType, (sql = pageOf(entityType)));
  return sql;
}

// Each object's rows are read by its ID, whatever the planner thinks of the tables: `offset 0` keeps the subquery as it
// is, and what was made text there is measured without being read again.
function pageOf(entityType: StoredEntityType): string {
  const { columns, joins } = copyQuery(entityType);
  return `
    select * from (
      select copy.*, page.native_order as page_order, page.platform_id as page_platform_id, page.found,
        dense_rank() over pages as place,
        sum(octet_length(copy.payload) + coalesce(octet_length(copy.accepted), 0)) over pages as bytes
      from (
        select keys.*, (count(*) over ())::int as found from (
          select k.canonical_id, k.native_order, k.platform_id from platform_records k
          where k.customer_id = $1 and k.platform = $2 and k.entity_type = $3
            and (k.native_order, k.platform_id) > ($4, $5)
          order by k.native_order, k.platform_id
          limit $6
        ) keys
      ) page
      cross join lateral (
        select ${columns} from platform_records r ${joins}
        where r.customer_id = $1 and r.canonical_id = page.canonical_id
        order by r.platform offset 0
      ) copy
      window pages as (order by page.native_order, page.platform_id)
    ) listed
    where bytes <= ${PAGE_LIMIT.payloadBytes} or place = 1
    order by page_order, page_platform_id`;
}
