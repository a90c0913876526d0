import type { PlatformName } from '@app/mapper';
import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import { byObject, copyQuery, type CopyRow, type ObjectRows } from '../../records/objects/copy-rows';
import { termsColumn } from '../../records/terms/terms.repository';
import { deletedRecords, lastOfEach } from '../deleted-records';
import type { Selection } from './selection';
import { selectionConditions, type ParameterOf } from './selection-conditions';
import {
  conditionsOf,
  foundConditions,
  keysOf,
  LAST_OF_ALL,
  orderOf,
  relationsOf,
  wayOf,
  type Probed,
} from './listing-keys';

/** The position at which the next page of a listing begins. */
export interface ListingPosition {
  /**
   * The last record that was listed or examined: the value by which the listing is ordered, and the native ID. Both are
   * empty before the first record. In a listing of objects they are the canonical ID and nothing.
   */
  readonly nativeOrder: string;
  readonly platformId: string;
  /** Records to ask for: no more than are likely to fit, since the query measures each of them. */
  readonly records: number;
}

/** One record or object of a listing, with the rows of its object. */
export interface ListedRecord {
  /** Undefined for an object, which has no record of its own. */
  readonly own?: OwnRecord;
  /** The object's records; if it has none left, its last ones. */
  readonly rows: ObjectRows;
  /** Whether the object has a record left. */
  readonly isThere: boolean;
}

/** The columns of a platform's own record in a listing. */
export interface OwnRecord {
  readonly platform: PlatformName;
  readonly platformId: string;
  /** When the deletion was found; undefined for a present record. */
  readonly deletedAt: string | undefined;
  /** The record's present or last form on the platform, as JSON text. */
  readonly payload: string;
}

/** A page of a listing, at one moment. */
export interface ListingPage {
  readonly records: readonly ListedRecord[];
  /** Stored bytes of the records. */
  readonly bytes: number;
  /** The customer's terms at that moment, as `termsFrom` reads them; null for the default ones, and without a record. */
  readonly terms: string | null;
  /** The fingerprint of everything that determines the page; undefined if the caller did not request it. */
  readonly fingerprint: string | undefined;
  /** Undefined after the last page. */
  readonly next: ListingPosition | undefined;
}

/**
 * Whether many records may meet the selection's conditions in this part of the listing, so that examining the next few
 * records (a probe) is likely to find some. For a condition that usually few records meet, the first page uses the
 * index at once, because it usually holds all of them.
 */
export function isProbed(selection: Selection, position: ListingPosition): boolean {
  const found = foundConditions(selection);
  const isFirst = isBeforeAll(position);
  return found.length > 0 && found.every(({ isUsuallyFew }) => isUsuallyFew !== true || !isFirst);
}

/** The limits of a page, besides the number of records in its position. */
export interface PageOptions {
  /** The most stored bytes. The first record always comes, however large it is. */
  readonly bytes: number;
  /**
   * The fingerprint of the page as it is remembered, or {@link UNKNOWN}. Only for selections without conditions: the
   * fingerprint covers present records.
   */
  readonly known?: string | undefined;
  /**
   * Whether only the next few records are examined. This finds records quickly if very many meet the condition, while
   * an index would first lead to all of them.
   */
  readonly isProbe?: boolean;
}

/** The fingerprint of no page. */
export const UNKNOWN = '';

/** Runs one statement that reads. */
export type Read = <Row extends object>(
  sql: string,
  parameters: readonly unknown[],
) => Promise<readonly Row[]>;

/** Reads for one customer, until the signal aborts. */
export function readerFor(
  unitOfWork: Pick<UnitOfWork, 'read'>,
  customerId: string,
  signal: AbortSignal,
): Read {
  return (sql, parameters) => unitOfWork.read(sql, parameters, { customerId, signal });
}

/**
 * The most records that one statement examines for conditions without an index, and that it looks up by an index to
 * sort them. If more records meet a condition, some of them are found wherever the statement examines records.
 */
const EXAMINED = 5_000;

/** Number of records that one statement examines for what changed since a time: each with all from which it inherits. */
const EXAMINED_CHANGES = 1_500;

/**
 * The most records that a probe examines. If one in six meets the conditions, these fill a page of the default size.
 */
const PROBED = 300;

/** A row of a listed object. */
type ListedRow = CopyRow & {
  readonly gone_at?: string | null;
  readonly page_order: string;
  readonly page_platform_id: string;
  readonly page_deleted_at?: string | null;
  /** Stored bytes of the page up to this record. */
  readonly bytes: string;
};

/** The facts about the page as a whole. They are in the row of the first record, or in a row of their own. */
interface Scan {
  readonly fingerprint?: string;
  readonly terms: string | null;
  /** The number of records that meet the conditions: at most one more than the page size. */
  readonly chosen: number | null;
  /** Records that were examined in their order, and the last of them. */
  readonly looked_at: number | null;
  readonly last_order: string | null;
  readonly last_platform_id: string | null;
}

/** A row without a record. */
type NoRow = { readonly [Column in keyof ListedRow]: null };

/**
 * Reads the next page of a listing with one statement, so that it shows one moment. Records are ordered by their native
 * IDs (numbers as numbers), which never change. A client that pages through a listing therefore misses no record that
 * is present all the time, and gets none twice. A statement examines a bounded number of records, so a page may be
 * empty although there are further records; `next` tells.
 *
 * With a known fingerprint, the page is read only if its fingerprint has changed. The fingerprint covers the records
 * that are on the page or would be with more room, the record after them, all of their objects, and the customer's
 * terms.
 *
 * @returns undefined if the page has the known fingerprint
 */
export async function readListingPage(
  read: Read,
  selection: Selection,
  position: ListingPosition,
  { bytes, known, isProbe = false }: PageOptions,
): Promise<ListingPage | undefined> {
  const { sql, names } = statementFor({ ...selection, isProbe }, known !== undefined);
  const inOrder = selection.modifiedAfter === undefined ? EXAMINED : EXAMINED_CHANGES;
  const walked = isProbe ? PROBED : inOrder;
  const values = new Map<string, unknown>([
    ['customer', selection.customerId],
    ['platform', selection.platform],
    ['type', selection.entityType],
    ['order', isBeforeAll(position) && orderOf(selection).isDescending ? LAST_OF_ALL : position.nativeOrder],
    ['id', position.platformId],
    ['records', position.records],
    ['bytes', bytes],
    ['known', known],
    ['examined', EXAMINED],
    ['walked', walked],
    ...selectionConditions.flatMap(({ valuesOf }) => Object.entries(valuesOf(selection) ?? {})),
  ]);
  const rows = await read<Scan & (ListedRow | NoRow)>(
    sql,
    names.map((name) => values.get(name)),
  );
  const [scan] = rows;
  if (scan === undefined) throw new Error('A page came without what tells of it');
  if (known !== undefined && scan.fingerprint === known) return undefined;
  const listed = rows.filter((row): row is Scan & ListedRow => row.canonical_id !== null);
  const last = listed.at(-1);
  const records = recordsFrom(selection.platform, listed);
  return {
    records,
    bytes: Number(last?.bytes ?? 0),
    terms: scan.terms,
    fingerprint: scan.fingerprint,
    next: positionAfter(position, scan, last, records.length, walked),
  };
}

/** Records that meet the conditions and did not fit are next, then records that were not examined. */
function positionAfter(
  { records: asked }: ListingPosition,
  { chosen, looked_at, last_order, last_platform_id }: Scan,
  last: ListedRow | undefined,
  listed: number,
  walked: number,
): ListingPosition | undefined {
  if (last !== undefined && Number(chosen) > listed) {
    const records = Math.min(asked, 2 * listed);
    return { nativeOrder: last.page_order, platformId: last.page_platform_id, records };
  }
  if (Number(looked_at) < walked || last_order === null || last_platform_id === null) return undefined;
  return { nativeOrder: last_order, platformId: last_platform_id, records: asked };
}

/** Rows of one record or object follow one another. */
function recordsFrom(
  platform: PlatformName | undefined,
  rows: readonly ListedRow[],
): readonly ListedRecord[] {
  const records: ListedRecord[] = [];
  for (let from = 0; from < rows.length;) {
    let to = from + 1;
    while (isSamePlace(rows[to], rows[from])) to += 1;
    const record = recordFrom(platform, rows.slice(from, to));
    if (record !== undefined) records.push(record);
    from = to;
  }
  return records;
}

function isSamePlace(one: ListedRow | undefined, other: ListedRow | undefined): boolean {
  return one?.page_order === other?.page_order && one?.page_platform_id === other?.page_platform_id;
}

function recordFrom(
  platform: PlatformName | undefined,
  group: readonly ListedRow[],
): ListedRecord | undefined {
  const there = group.filter((row) => (row.gone_at ?? null) === null);
  const [rows] = byObject(there.length > 0 ? there : lastOfEach(group));
  if (rows === undefined) return undefined;
  const isThere = there.length > 0;
  if (platform === undefined) return { rows, isThere };
  const [{ page_platform_id: platformId, page_deleted_at: deletedAt } = { page_platform_id: '' }] = group;
  const own = group.find((row) => row.platform === platform && row.platform_id === platformId);
  if (own === undefined) return undefined;
  const { payload } = own;
  return { own: { platform, platformId, deletedAt: deletedAt ?? undefined, payload }, rows, isThere };
}

function isBeforeAll({ nativeOrder, platformId }: ListingPosition): boolean {
  return nativeOrder === '' && platformId === '';
}

interface PageStatement {
  readonly sql: string;
  /** The parameters, in their order. */
  readonly names: readonly string[];
}

const statements = new Map<string, PageStatement>();

function statementFor(selection: Probed<Selection>, isFingerprinted: boolean): PageStatement {
  const given = conditionsOf(selection);
  const { platform, entityType, includeDeleted, sort, isProbe } = selection;
  const own = given.flatMap(({ names }) => names);
  const form = [platform === undefined, isFingerprinted, includeDeleted, isProbe];
  const key = [...form, entityType, sort, ...own].join(' ');
  let statement = statements.get(key);
  if (statement === undefined) {
    const isExamined = given.some(({ condition }) => wayOf(condition, selection) !== 'led');
    const names = [
      ...[
        'customer',
        ...(platform === undefined ? [] : ['platform']),
        'type',
        'order',
        'id',
        'records',
        'bytes',
      ],
      ...(isFingerprinted ? ['known'] : []),
      ...(isExamined ? ['walked'] : []),
      ...(foundConditions(selection).length > 0 ? ['examined'] : []),
      ...own,
    ];
    statement = { sql: statementOf(selection, names), names };
    statements.set(key, statement);
  }
  return statement;
}

// The statement selects first the keys of records, then their fingerprint, and last the rows of their objects. All are
// one statement, so they show the same moment. `offset 0` fixes the subqueries, so that each object's rows are read by
// its ID, whatever plan the planner prefers, and a value that was converted to text is measured without being read
// again.
function statementOf(selection: Probed<Selection>, names: readonly string[]): string {
  const { entityType } = selection;
  const includeDeleted = selection.includeDeleted === true;
  const { columns, joins, token } = copyQuery(entityType);
  const parameter: ParameterOf = (name) => `$${names.indexOf(name) + 1}`;
  const isFingerprinted = names.includes('known');
  const rowsOf = (selected: string): string =>
    `select ${selected} from platform_records r ${joins} where r.customer_id = $1 and r.canonical_id = page.canonical_id`;
  const copies = includeDeleted
    ? `${rowsOf(`${columns}, null::text as gone_at`)} union all
       select ${columns}, r.gone_at from ${deletedRecords} r ${joins}
       where r.customer_id = $1 and r.canonical_id = page.canonical_id and page.deleted_at is not null`
    : rowsOf(columns);
  const keys = keysOf(selection, names, parameter);
  const { inOrder } = orderOf(selection);
  const scan = [
    ...(isFingerprinted ? ['now.fingerprint'] : []),
    ...['scan.chosen', 'scan.looked_at', 'scan.last_order', 'scan.last_platform_id'],
  ].map(
    (column) => `case when coalesce(listed.place, 1) = 1 then ${column} end as ${column.split('.')[1] ?? ''}`,
  );
  return `
    with agreed as materialized (select ${termsColumn()} as terms),
    ${relationsOf(selection, parameter)} ${keys.sql}
    ${
      isFingerprinted
        ? `, now as materialized (
      select coalesce(encode(sha256(
        string_agg(copy.token, '' order by copy.token) || coalesce(convert_to((select terms from agreed), 'UTF8'), '')
      ), 'base64'), 'nothing') as fingerprint
      from chosen page cross join lateral (${rowsOf(`${token} as token`)} offset 0) copy
    )`
        : ''
    }
    select ${scan.join(', ')}, case when listed.place = 1 then agreed.terms end as terms, listed.*
    from (${keys.scan}) scan cross join agreed ${isFingerprinted ? 'cross join now' : ''}
    left join (
      select * from (
        select copy.*, page.native_order as page_order, page.platform_id as page_platform_id,
          ${includeDeleted ? 'page.deleted_at as page_deleted_at,' : ''} dense_rank() over pages as place,
          sum(octet_length(copy.payload) + coalesce(octet_length(copy.accepted), 0)) over pages as bytes
        from (
          select c.* from chosen c
          ${isFingerprinted ? `where (select fingerprint from now) <> ${parameter('known')}` : ''}
          order by ${inOrder('c.native_order', 'c.platform_id')} limit ${parameter('records')}
        ) page
        cross join lateral (${copies} offset 0) copy
        window pages as (order by ${inOrder('page.native_order', 'page.platform_id')})
      ) measured
      where bytes <= ${parameter('bytes')} or place = 1
    ) listed on true
    order by ${inOrder('page_order', 'page_platform_id')}, listed.platform`;
}
