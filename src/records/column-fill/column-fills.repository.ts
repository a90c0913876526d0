import { isPlatformName, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { copyQuery, objectFrom, type CopyRow } from '../objects/copy-rows';
import type { StoredCopy } from '../loaded-object';
import { updateDeletedRecords } from '../platform-records/deleted-records.repository';
import type { SearchedColumns } from '../platform-records/searched-columns';
import { updateRecords } from '../platform-records/platform-records.repository';

/** The records of a platform that are to be filled: first the present ones, then the deleted ones. */
export interface DueFill {
  readonly customerId: string;
  readonly platform: PlatformName;
}

/** The last record that a fill has passed. */
export interface FillPosition {
  readonly isDeleted: boolean;
  readonly entityType: string;
  readonly platformId: string;
}

/** A record that is to be filled. */
export interface FilledRecord {
  readonly entityType: StoredEntityType;
  readonly platformId: string;
  /** Undefined if its object or its connection is missing. */
  readonly copy: StoredCopy | undefined;
}

/** The most records and stored bytes of a page. Its first record always comes, however large it is. */
const PAGE = { records: 200, bytes: 2 * 1024 * 1024 } as const;

/** Unfinished fills, `limit` at most. Reads across customers, one row for each of their platforms. */
export async function dueFills(store: Store, limit: number): Promise<readonly DueFill[]> {
  const rows = await store.query<{ customer_id: string; platform: string }>(
    'select customer_id, platform from column_fills order by customer_id, platform limit $1',
    [limit],
  );
  return rows.flatMap(({ customer_id: customerId, platform }) =>
    isPlatformName(platform) ? [{ customerId, platform }] : [],
  );
}

/** The position of a fill; undefined if it has ended. */
export async function fillPosition(
  tx: CustomerTransaction,
  platform: PlatformName,
): Promise<FillPosition | undefined> {
  const [row] = await tx.query<FillPosition>(
    `select is_deleted as "isDeleted", entity_type as "entityType", platform_id as "platformId"
     from column_fills where customer_id = $1 and platform = $2`,
    [platform],
  );
  return row;
}

/** @param position undefined if nothing is left to fill */
export async function saveFillPosition(
  tx: CustomerTransaction,
  platform: PlatformName,
  position: FillPosition | undefined,
): Promise<void> {
  if (position === undefined) {
    await tx.query('delete from column_fills where customer_id = $1 and platform = $2', [platform]);
    return;
  }
  await tx.query(
    `update column_fills set is_deleted = $3, entity_type = $4, platform_id = $5
     where customer_id = $1 and platform = $2`,
    [platform, position.isDeleted, position.entityType, position.platformId],
  );
}

// `offset 0` keeps the subquery as it is: each record is read by its key, whatever the planner thinks of the tables.
/** @param records the relation of the records, in the form of present ones */
function pageOf(records: string): string {
  const { columns, joins } = copyQuery();
  return `
    select page.of_type, page.of_id, copy.*
    from (
      select sized.*, row_number() over places as place, sum(size) over places as bytes
      from (
        select n.entity_type as of_type, n.platform_id as of_id, octet_length(n.payload::text) as size
        from ${records} n
        where n.customer_id = $1 and n.platform = $2 and (n.entity_type, n.platform_id) > ($3, $4)
        order by n.entity_type, n.platform_id limit ${PAGE.records}
      ) sized
      window places as (order by of_type, of_id)
    ) page
    left join lateral (
      select ${columns} from ${records} r ${joins}
      where r.customer_id = $1 and r.platform = $2 and r.entity_type = page.of_type and r.platform_id = page.of_id
      offset 0
    ) copy on true
    where page.bytes <= ${PAGE.bytes} or page.place = 1
    order by page.of_type, page.of_id`;
}

const pages = {
  present: pageOf('platform_records'),
  deleted: pageOf('(select d.*, null::json as accepted from deleted_records d)'),
} as const;

type PageRow = { readonly of_type: StoredEntityType; readonly of_id: string } & (
  | CopyRow
  | { readonly [Column in keyof CopyRow]: null }
);

/** The next records behind a position, in the order of their types and IDs; none behind the last one. */
export async function recordsBehind(
  tx: CustomerTransaction,
  platform: PlatformName,
  { isDeleted, entityType, platformId }: FillPosition,
): Promise<readonly FilledRecord[]> {
  const sql = isDeleted ? pages.deleted : pages.present;
  const rows = await tx.query<PageRow>(sql, [platform, entityType, platformId]);
  return rows.map((row) => ({
    entityType: row.of_type,
    platformId: row.of_id,
    copy: row.canonical_id === null ? undefined : objectFrom([row]).copies[0],
  }));
}

const searched = [
  'status',
  'document_date',
  'amount_order',
  'search_words',
] as const satisfies readonly (keyof SearchedColumns)[];

/**
 * Writes the columns of records where they differ. This makes no new version of a record, because the columns are derived
 * from the record, which has not changed.
 */
export async function fillColumns(
  tx: CustomerTransaction,
  platform: PlatformName,
  isDeleted: boolean,
  records: readonly (Pick<FilledRecord, 'entityType' | 'platformId'> & {
    readonly columns: SearchedColumns;
  })[],
): Promise<void> {
  const own = searched.map((name) => `r.${name}`).join(', ');
  const update = {
    set: searched.map((name) => `${name} = n.${name}`),
    from: `unnest($3::text[], $4::text[], ${searched.map((_, place) => `$${place + 5}::text[]`).join(', ')})
      n (entity_type, platform_id, ${searched.join(', ')})`,
    where: `r.customer_id = $1 and r.platform = $2 and r.entity_type = n.entity_type and r.platform_id = n.platform_id
      and (${own}) is distinct from (${searched.map((name) => `n.${name}`).join(', ')})`,
  };
  const parameters = [
    platform,
    records.map(({ entityType }) => entityType),
    records.map(({ platformId }) => platformId),
    ...searched.map((name) => records.map(({ columns }) => columns[name])),
  ];
  await (isDeleted ? updateDeletedRecords : updateRecords)(tx, update, parameters);
}
