import type { PlatformName, StoredEntityType } from '@app/mapper';
import { byObject, copyQuery, type CopyRow, type ObjectRows } from '../records/objects/copy-rows';
import { changedSince } from '../records/history/changed-since';
import type { Listing, Read } from '../records/objects/listing-page.repository';
import { termsColumn } from '../records/terms/terms.repository';
import { timeText } from '../database/transaction/time-text';
import { deletedRecords } from './deleted-records';

/** The filter of a listing. */
export interface ListingFilter {
  /** Only records of this object, by its canonical ID or an alias. */
  readonly canonicalId?: string;
  /** Records of objects that may have changed since this time, as PostgreSQL reads it. */
  readonly modifiedAfter?: string;
  /** Also records that were deleted on their platform. */
  readonly includeDeleted?: boolean;
}

/** The last record that was listed or examined; both empty before the first. */
export interface RecordPlace {
  readonly nativeOrder: string;
  readonly platformId: string;
}

/** One record of a page, with the rows of its object. */
export interface FilteredRecord {
  readonly platformId: string;
  /** When the deletion was found; null for a present record. */
  readonly deletedAt: string | null;
  /** The object's records; if it has none left, its last ones. The record itself is among them. */
  readonly rows: ObjectRows;
  /** The record's present or last form on the platform, as JSON text. */
  readonly payload: string;
  /** Whether the object has a record left. */
  readonly isThere: boolean;
}

/** A part of a filtered listing. */
export interface FilteredPage {
  readonly records: readonly FilteredRecord[];
  /** Bytes of the payloads that were read. */
  readonly bytes: number;
  /** The terms in force at that moment, as text. */
  readonly terms: string | null;
  /** Where the listing continues; undefined at its end. */
  readonly next: RecordPlace | undefined;
}

/** Maximum bytes of payloads of a page. The first record is always included. */
export const FILTERED_PAGE_BYTES = 4 * 1024 * 1024;

/** Number of records that one statement examines for changes. */
const LOOKED_AT = 5_000;

/** The start of every listing. */
export const beforeFirst: RecordPlace = { nativeOrder: '', platformId: '' };

type FilteredRow = CopyRow & {
  readonly gone_at: string | null;
  readonly page_order: string;
  readonly page_platform_id: string;
  readonly page_deleted_at: string | null;
  readonly bytes: number;
};

type Scan = {
  /** Number of examined keys, and the last of them. */
  readonly looked_at: number;
  readonly last_order: string | null;
  readonly last_platform_id: string | null;
  readonly chosen: number;
  readonly terms: string | null;
};

/**
 * Reads the next part of a listing with one statement, so that it shows one moment. The statement examines a bounded
 * number of records, so it may return none although there are more; `next` tells. Places are native IDs, which never
 * change. A client that pages through the listing therefore misses no record that is present all the time, and gets
 * none twice.
 *
 * @param limit maximum number of records
 * @param bytes maximum of payloads, except for a single record
 */
export async function readFilteredPage(
  read: Read,
  { customerId, platform, entityType }: Listing,
  choice: ListingFilter,
  from: RecordPlace,
  { limit, bytes }: { readonly limit: number; readonly bytes: number },
): Promise<FilteredPage> {
  const lookAt = choice.modifiedAfter === undefined ? limit + 1 : LOOKED_AT;
  const rows = await read<Scan & (FilteredRow | { readonly [Column in keyof FilteredRow]: null })>(
    statementFor(entityType, choice),
    [
      customerId,
      platform,
      entityType,
      from.nativeOrder,
      from.platformId,
      limit,
      lookAt,
      bytes,
      ...[choice.canonicalId, choice.modifiedAfter].filter((value) => value !== undefined),
    ],
  );
  const there = rows.filter((row): row is Scan & FilteredRow => row.canonical_id !== null);
  const records = recordsFrom(platform, there);
  const last = there.at(-1);
  return {
    records,
    bytes: last === undefined ? 0 : Number(last.bytes),
    terms: rows[0]?.terms ?? null,
    next: placeAfter(rows[0], last, records.length, lookAt),
  };
}

/** Selected records that did not fit are next, then records that were not examined. */
function placeAfter(
  scan: Scan | undefined,
  last: FilteredRow | undefined,
  records: number,
  lookAt: number,
): RecordPlace | undefined {
  if (scan === undefined || scan.last_order === null || scan.last_platform_id === null) return undefined;
  if (last !== undefined && scan.chosen > records)
    return { nativeOrder: last.page_order, platformId: last.page_platform_id };
  if (scan.looked_at < lookAt) return undefined;
  return { nativeOrder: scan.last_order, platformId: scan.last_platform_id };
}

function recordsFrom(platform: PlatformName, rows: readonly FilteredRow[]): readonly FilteredRecord[] {
  const places = new Map<string, [FilteredRow, ...FilteredRow[]]>();
  for (const row of rows) {
    const group = places.get(row.page_platform_id);
    if (group === undefined) places.set(row.page_platform_id, [row]);
    else group.push(row);
  }
  return [...places.values()].flatMap((group) => {
    const { page_platform_id: platformId, page_deleted_at: deletedAt } = group[0];
    const own = group.find((row) => row.platform === platform && row.platform_id === platformId);
    const there = group.filter((row) => row.gone_at === null);
    const [object] = byObject(there.length > 0 ? there : lastOfEach(group));
    if (object === undefined || own === undefined) return [];
    return [{ platformId, deletedAt, rows: object, payload: own.payload, isThere: there.length > 0 }];
  });
}

/** Of deleted records, the last one of each platform. */
export function lastOfEach<Row extends { readonly platform: string; readonly gone_at: string | null }>(
  rows: readonly Row[],
): readonly Row[] {
  const last = new Map<string, Row>();
  for (const row of rows) {
    const known = last.get(row.platform);
    if (known === undefined || (known.gone_at ?? '') < (row.gone_at ?? '')) last.set(row.platform, row);
  }
  return [...last.values()];
}

const statements = new Map<string, string>();

function statementFor(entityType: StoredEntityType, choice: ListingFilter): string {
  const name = [
    entityType,
    choice.canonicalId !== undefined,
    choice.modifiedAfter !== undefined,
    choice.includeDeleted,
  ].join(' ');
  let sql = statements.get(name);
  if (sql === undefined) statements.set(name, (sql = statementOf(entityType, choice)));
  return sql;
}

// $1 customer, $2 platform, $3 type, $4 and $5 the place, $6 maximum records, $7 maximum keys, $8 bytes.
function statementOf(entityType: StoredEntityType, choice: ListingFilter): string {
  const { columns, joins } = copyQuery(entityType);
  const of = (alias: string): string =>
    `${alias}.customer_id = $1 and ${alias}.canonical_id = page.canonical_id`;
  const object = choice.canonicalId === undefined ? undefined : objectOf('$9');
  const since = choice.canonicalId === undefined ? '$9' : '$10';
  const copies = [
    `select ${columns}, null::text as gone_at from platform_records r ${joins} where ${of('r')}`,
    ...(choice.includeDeleted
      ? [
          `select ${columns}, r.gone_at from ${deletedRecords} r ${joins}
           where ${of('r')} and page.deleted_at is not null`,
        ]
      : []),
  ];
  return `
    with looked_at as materialized (${keysOf(object, choice.includeDeleted === true)}),
    chosen as materialized (
      select k.* from looked_at k
      where ${choice.modifiedAfter === undefined ? 'true' : changedSince('k', since)}
      order by k.native_order, k.platform_id limit $6 + 1
    )
    select scan.*, listed.* from (
      select (select count(*) from looked_at)::int as looked_at, (select count(*) from chosen)::int as chosen,
        ${lastOf('native_order')} as last_order, ${lastOf('platform_id')} as last_platform_id, ${termsColumn()} as terms
    ) scan left join (
      select * from (
        select copy.*, page.native_order as page_order, page.platform_id as page_platform_id,
          page.deleted_at as page_deleted_at, dense_rank() over pages as place,
          sum(octet_length(copy.payload) + coalesce(octet_length(copy.accepted), 0)) over pages as bytes
        from (select c.* from chosen c order by c.native_order, c.platform_id limit $6) page
        cross join lateral (${copies.join(' union all ')} offset 0) copy
        window pages as (order by page.native_order, page.platform_id)
      ) measured
      where bytes <= $8 or place = 1
    ) listed on true
    order by page_order, page_platform_id, listed.platform`;
}

const lastOf = (column: string): string =>
  `(select l.${column} from looked_at l order by l.native_order desc, l.platform_id desc limit 1)`;

/** SQL for the object of an ID, which may be an alias. */
function objectOf(id: string): string {
  return `coalesce((select a.canonical_id from canonical_aliases a where a.customer_id = $1 and a.alias_id = ${id}), ${id})`;
}

function keysOf(object: string | undefined, withDeleted: boolean): string {
  const keys = (table: string, deletedAt: string, more: string): string => `
    select k.canonical_id, k.native_order, k.platform_id, ${deletedAt} as deleted_at from ${table} k
    where k.customer_id = $1 and k.platform = $2 and k.entity_type = $3
      and (k.native_order, k.platform_id) > ($4, $5)
      ${object === undefined ? '' : `and k.canonical_id = ${object}`} ${more}
    order by k.native_order, k.platform_id limit $7`;
  const present = keys('platform_records', 'null::text', '');
  if (!withDeleted) return present;
  // A record that a write of this service has created again is present, even if its deleted form is stored.
  const gone = keys(
    'deleted_records',
    timeText('k.deleted_at'),
    `and not exists (select 1 from platform_records r where r.customer_id = $1 and r.platform = $2
       and r.entity_type = $3 and r.platform_id = k.platform_id)`,
  );
  return `
    select * from ((${present}) union all (${gone})) k
    order by k.native_order, k.platform_id limit $7`;
}
