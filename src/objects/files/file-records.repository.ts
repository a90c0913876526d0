import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { recordsAt } from '../../records/changes/record-versions.repository';
import { byObject, copyQuery, type CopyRow } from '../../records/objects/copy-rows';
import { projectColumns, type ProjectColumns } from '../../records/objects/project-of-record';

/** Maximum number of records of a page of a file, and of stored bytes. Its first record is always included. */
const PAGE = { records: 200, bytes: 2 * 1024 * 1024 } as const;

/** Stored bytes that a page of a file may have: its first object may be larger than the rest may be. */
export const FILE_PAGE_BYTES = PAGE.bytes;

/** A record of an object in a file. */
export type FileRow = CopyRow & ProjectColumns & { readonly number: string | null };

/** The records of one object. */
export type FileObject = readonly [FileRow, ...FileRow[]];

/** The records of a file: those that a platform had of a type at a time. */
export interface RecordsOfFile {
  readonly platform: PlatformName;
  readonly entityType: StoredEntityType;
  /** In UTC, with microseconds. */
  readonly time: string;
}

/** A page of a file. */
export interface FilePage {
  /** The objects of the platform's records, in the order of their native IDs as text. */
  readonly objects: readonly FileObject[];
  /** The native ID after which the next page begins; undefined on the last page. */
  readonly next: string | undefined;
}

// The records at a time in the past never change, so pages that are read one after the other show one moment.
const keysAt = `
  select platform_id, canonical_id from (
    (select n.platform_id, n.canonical_id from platform_records n
     where n.customer_id = $1 and n.platform = $2 and n.entity_type = $3 and n.platform_id > $4
       and n.since <= $5::timestamptz
     order by n.platform_id limit ${PAGE.records})
    union all
    (select v.platform_id, v.canonical_id from record_versions v
     where v.customer_id = $1 and v.platform = $2 and v.entity_type = $3 and v.platform_id > $4
       and v.since <= $5::timestamptz and v.until > $5::timestamptz
     order by v.platform_id limit ${PAGE.records})
  ) there
  order by platform_id limit ${PAGE.records}`;

const records = recordsAt('$3');
const { columns, joins } = copyQuery(undefined, '$3');
// Bytes are counted before the joins, so that rows that do not fit are not read.
const objectsAt = `
  select ${columns}, r.number, ${projectColumns(records)}, page.place::int as place, page.cut
  from (
    select sized.*, max(sized.bytes) over () > ${PAGE.bytes} as cut
    from (
      select n.platform, n.canonical_id, array_position($2::text[], n.canonical_id) as place,
        sum(octet_length(n.payload::text) + coalesce(octet_length(n.accepted::text), 0))
          over (order by array_position($2::text[], n.canonical_id)) as bytes
      from ${records} n where n.customer_id = $1 and n.canonical_id = any ($2::text[])
    ) sized
  ) page
  join ${records} r on r.customer_id = $1 and r.canonical_id = page.canonical_id and r.platform = page.platform
  ${joins}
  where (page.bytes <= ${PAGE.bytes} or page.place = 1) and r.canonical_id = any ($2::text[])
  order by page.place, r.platform`;

/**
 * Reads the next page of a file: as many records as fit, each with the other records of its object.
 *
 * @param after the native ID of the last record before; empty at the beginning
 */
export async function readFilePage(
  tx: CustomerTransaction,
  { platform, entityType, time }: RecordsOfFile,
  after: string,
): Promise<FilePage> {
  const keys = await tx.query<{ platform_id: string; canonical_id: string }>(keysAt, [
    platform,
    entityType,
    after,
    time,
  ]);
  if (keys.length === 0) return { objects: [], next: undefined };
  const rows = await tx.query<FileRow & { place: number; cut: boolean }>(objectsAt, [
    keys.map(({ canonical_id }) => canonical_id),
    time,
  ]);
  const last = rows.at(-1);
  const isCut = last?.cut === true;
  const next = isCut ? keys[last.place - 1] : keys.length < PAGE.records ? undefined : keys.at(-1);
  return { objects: byObject(rows), next: next?.platform_id };
}
