import type { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { PlatformName, StoredEntityType } from '@app/mapper';
import { termsColumn } from '../terms/terms.repository';
import { byObject, copyQuery, type CopyQuery, type CopyRow, type ObjectRows } from './copy-rows';

/** The most bytes of a page. The first record is always included, however large it is. */
export const PAGE_LIMIT = { records: 200, payloadBytes: 1024 * 1024 } as const;

/**
 * The assumed largest size of one object in bytes: two records of 256 KB, each as it is and as an open write will leave
 * it.
 */
export const LARGEST_OBJECT = 1024 * 1024;

/** A listing: its platform and type. */
export interface Listing {
  readonly customerId: string;
  readonly platform: PlatformName;
  readonly entityType: StoredEntityType;
}

/** The position at which a listing continues. */
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
  /** The customer's terms at that moment, as `termsFrom` reads them. */
  readonly terms: string | null;
  /** A fingerprint of everything that determines the page, at the moment that it shows; undefined unless requested. */
  readonly fingerprint: string | undefined;
  /** Undefined after the last page. */
  readonly next: ListingPosition | undefined;
}

/** Runs one read-only statement. */
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

type PageRow = CopyRow & {
  readonly page_order: string;
  readonly page_platform_id: string;
  /** Existing records, whether they fit or not: at most as many as requested, and one more. */
  readonly found: number;
  /** With the first record alone. */
  readonly terms: string | null;
};

/** The row beside the fingerprint if there is no record, or none was requested. */
type NoRow = { readonly [Column in keyof PageRow]: null };

/** The fingerprint of no page. */
export const UNKNOWN = '';

/**
 * A page of a platform's records of one type, by native ID (numbers in numerical order), each with its whole object.
 * One statement reads it, so it shows one moment.
 */
export async function readListingPage(
  read: Read,
  listing: Listing,
  position: ListingPosition,
): Promise<ListingPage> {
  const sql = statementFor('plain', listing.entityType);
  return pageFrom(await read<PageRow>(sql, parametersOf(listing, position)), undefined);
}

/**
 * Reads a page with its fingerprint. If the fingerprint equals the known one, the page has not changed and nothing else
 * is read. The fingerprint covers the records that are on the page or would be with more room, the record after them,
 * the objects of all these, and the customer's terms.
 *
 * @param known the fingerprint of the remembered page, or {@link UNKNOWN}
 * @returns undefined if the page has not changed
 */
export async function readChangedPage(
  read: Read,
  listing: Listing,
  position: ListingPosition,
  known: string,
): Promise<ListingPage | undefined> {
  const sql = statementFor('fingerprinted', listing.entityType);
  const rows = await read<(PageRow | NoRow) & { readonly fingerprint: string | null }>(sql, [
    ...parametersOf(listing, position),
    known,
  ]);
  const fingerprint = rows[0]?.fingerprint ?? undefined;
  if (fingerprint === known) return undefined;
  const there = rows.filter((row): row is PageRow & typeof row => row.canonical_id !== null);
  return pageFrom(there, fingerprint);
}

function parametersOf(
  { customerId, platform, entityType }: Listing,
  { nativeOrder, platformId, records }: ListingPosition,
): readonly unknown[] {
  return [customerId, platform, entityType, nativeOrder, platformId, records];
}

function pageFrom(rows: readonly PageRow[], fingerprint: string | undefined): ListingPage {
  const places = new Map(rows.map((row) => [row.canonical_id, row.page_platform_id]));
  const records = byObject(rows).map((object) => ({
    platformId: places.get(object[0].canonical_id) ?? '',
    rows: object,
  }));
  const last = rows.at(-1);
  const terms = rows[0]?.terms ?? null;
  if (last === undefined || records.length === last.found) {
    return { records, terms, fingerprint, next: undefined };
  }
  const next = {
    nativeOrder: last.page_order,
    platformId: last.page_platform_id,
    records: Math.min(PAGE_LIMIT.records, 2 * records.length),
  };
  return { records, terms, fingerprint, next };
}

const forms = { plain: plainPage, fingerprinted: fingerprintedPage } as const;
const statements = new Map<string, string>();

function statementFor(form: keyof typeof forms, entityType: StoredEntityType): string {
  const name = `${form} ${entityType}`;
  let sql = statements.get(name);
  if (sql === undefined) statements.set(name, (sql = forms[form](copyQuery(entityType))));
  return sql;
}

function plainPage(query: CopyQuery): string {
  return `
    with agreed as materialized (select ${termsColumn()} as terms)
    select case when listed.place = 1 then agreed.terms end as terms, listed.*
    from agreed cross join (${pageOf(query, 'true')}) listed
    order by page_order, page_platform_id`;
}

// The page is read after the fingerprint, and only if that differs. Both belong to one statement, so they show the same
// moment.
function fingerprintedPage(query: CopyQuery): string {
  return `
    with agreed as materialized (select ${termsColumn()} as terms),
    now as materialized (
      select coalesce(encode(sha256(
        string_agg(copy.token, '' order by copy.token) || coalesce(convert_to((select terms from agreed), 'UTF8'), '')
      ), 'base64'), 'nothing') as fingerprint
      from (${keysWhere('true')}) page
      cross join lateral (${copiesOf(`${query.token} as token`, query)} offset 0) copy
    )
    select case when listed.place is null or listed.place = 1 then now.fingerprint end as fingerprint,
      case when listed.place = 1 then agreed.terms end as terms, listed.*
    from agreed cross join now left join (${pageOf(query, '(select fingerprint from now) <> $7')}) listed on true
    order by page_order, page_platform_id`;
}

// Each object's rows are read by its ID, whatever the planner's statistics say. `offset 0` keeps the subquery as it is,
// so a text that it made is measured without being read again.
function pageOf(query: CopyQuery, condition: string): string {
  return `
    select * from (
      select copy.*, page.native_order as page_order, page.platform_id as page_platform_id, page.found,
        dense_rank() over pages as place,
        sum(octet_length(copy.payload) + coalesce(octet_length(copy.accepted), 0)) over pages as bytes
      from (
        select keys.*, (count(*) over ())::int as found from (${keysWhere(condition)}) keys
        order by keys.native_order, keys.platform_id limit $6
      ) page
      cross join lateral (${copiesOf(query.columns, query)} order by r.platform offset 0) copy
      window pages as (order by page.native_order, page.platform_id)
    ) measured
    where bytes <= ${PAGE_LIMIT.payloadBytes} or place = 1`;
}

function copiesOf(columns: string, { joins }: CopyQuery): string {
  return `
    select ${columns} from platform_records r ${joins}
    where r.customer_id = $1 and r.canonical_id = page.canonical_id`;
}

function keysWhere(condition: string): string {
  return `
    select k.canonical_id, k.native_order, k.platform_id from platform_records k
    where k.customer_id = $1 and k.platform = $2 and k.entity_type = $3
      and (k.native_order, k.platform_id) > ($4, $5) and ${condition}
    order by k.native_order, k.platform_id
    limit $6 + 1`;
}
