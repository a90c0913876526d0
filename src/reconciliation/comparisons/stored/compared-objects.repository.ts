import { platformNames, type PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { byObject, copyQuery, type CopyRow } from '../../../records/objects/copy-rows';
import { projectColumns, referredIn, type ProjectColumns } from '../../../records/objects/project-of-record';
import { recordsAt } from '../../../records/changes/record-versions.repository';
import { timeText } from '../../../database/transaction/time-text';
import type { Candidate } from '../comparison';
import { countOfRulings, ruledOut } from '../ruled-out';

/** Maximum bytes that one page reads. The first object is always complete. */
const PAGE_BYTES = 2 * 1024 * 1024;

/** Maximum number of candidates of a record. */
const NAMED_CANDIDATES = 20;

/** A record of an object, with the values that comparing needs. */
export type ComparedRow = CopyRow &
  ProjectColumns & {
    /** The record's key, as it is written. */
    readonly number: string | null;
    /**
     * Canonical ID of the record's counterparty, named by the record itself or by its contract or invoice on the same
     * platform. For a company, its own ID. Null for a project.
     */
    readonly counterparty: string | null;
    /** Microseconds since 1970. */
    readonly since: string;
  };

/** Some objects, and all inputs of their comparisons, at one moment. */
export interface ObjectPage {
  /** IDs that were read. An ID without rows has no records. */
  readonly ids: readonly string[];
  readonly objects: readonly (readonly [ComparedRow, ...ComparedRow[]])[];
  /** By object. */
  readonly candidates: ReadonlyMap<string, readonly Candidate[]>;
}

/** The statements of a page, for the present records or the records at a time. */
interface PageSql {
  /** `$1` the customer, `$2` the IDs of objects. */
  readonly rows: string;
  /** SQL with the same parameters, and `$3` for the names of all platforms. */
  readonly candidates: string;
}

/** What follows `select`, for an alias `r` with the columns of a record. */
function comparedColumns(columns: string, records: string): string {
  return `${columns}, r.number, ${projectColumns(records)},
    case when r.entity_type = 'customer' then r.canonical_id when r.entity_type = 'project' then null
      else ${referredIn('customer_canonical_id', records, 'r')} end as counterparty,
    (extract(epoch from r.since) * 1000000)::bigint::text as since`;
}

/** @param at the parameter that holds a time in the past */
function pageSql(at?: string): PageSql {
  const records = at === undefined ? 'platform_records' : recordsAt(at);
  const { columns, joins } = copyQuery(undefined, at);
  return {
    // Bytes are counted before the joins, so that nothing is looked up for rows that do not fit.
    rows: `
      select ${comparedColumns(columns, records)}, r.cut
      from (
        select sized.*, max(bytes) over () > ${PAGE_BYTES} as cut, min(canonical_id) over () as first
        from (
          select n.*, sum(octet_length(n.payload::text) + coalesce(octet_length(n.accepted::text), 0))
            over (order by n.canonical_id) as bytes
          from ${records} n where n.customer_id = $1 and n.canonical_id = any ($2)
        ) sized
      ) r
      ${joins}
      where r.bytes <= ${PAGE_BYTES} or r.canonical_id = r.first
      order by r.canonical_id, r.platform`,
    // For each record of the page, records with its key on platforms where its object has none, unless a decision
    // separates the two. The first records with a key are searched once, however many records share it, plus as many as
    // decisions may exclude.
    candidates: `
      with own as (
        select r.canonical_id, r.platform, r.entity_type, r.business_key, missing.platform as missing,
          ${countOfRulings('r.canonical_id', 'r.entity_type', records, at)} as rulings
        from ${records} r
        cross join unnest($3::text[]) missing (platform)
        where r.customer_id = $1 and r.canonical_id = any ($2) and r.business_key is not null
          and not exists (
            select from ${records} other
            where other.customer_id = $1 and other.canonical_id = r.canonical_id and other.platform = missing.platform
          )
      ),
      keys as (
        select entity_type, business_key, missing, max(rulings) as rulings from own
        group by entity_type, business_key, missing
      ),
      named as materialized (
        select k.entity_type, k.business_key, k.missing, first.platform_ids, first.canonical_ids
        from keys k
        cross join lateral (
          select array_agg(c.platform_id order by c.native_order, c.platform_id) as platform_ids,
            array_agg(c.canonical_id order by c.native_order, c.platform_id) as canonical_ids
          from (
            select c.platform_id, c.canonical_id, c.native_order from ${records} c
            where c.customer_id = $1 and c.platform = k.missing and c.entity_type = k.entity_type
              and c.business_key = k.business_key
            order by c.native_order, c.platform_id
            limit ${NAMED_CANDIDATES} + k.rulings
          ) c
        ) first
      ),
      candidates as (
        select own.canonical_id as object_id, own.platform as of, own.missing as platform, c.platform_id, c.canonical_id,
          row_number() over (partition by own.canonical_id, own.platform, own.missing order by c.place) as place
        from own
        join named on named.entity_type = own.entity_type and named.business_key = own.business_key
          and named.missing = own.missing
        cross join lateral unnest(named.platform_ids, named.canonical_ids)
          with ordinality c (platform_id, canonical_id, place)
        where not (
          own.rulings > 0 and ${ruledOut(['own.canonical_id', 'c.canonical_id'], 'own.entity_type', records, at)}
        )
      )
      select c.object_id, c.platform, c.platform_id, c.canonical_id, exists (
          select from ${records} l
          where l.customer_id = $1 and l.canonical_id = c.canonical_id and l.platform = c.of
        ) as linked
      from candidates c
      where c.place <= ${NAMED_CANDIDATES}
      order by c.object_id, array_position($3::text[], c.platform), c.place, c.platform_id`,
  };
}

const present = pageSql();
const pastRows = pageSql('$3').rows;
const pastCandidates = pageSql('$4').candidates;

type SizedRow = ComparedRow & {
  /** Whether some objects did not fit. */
  readonly cut: boolean;
};

interface CandidateRow {
  readonly object_id: string;
  readonly platform: PlatformName;
  readonly platform_id: string;
  readonly canonical_id: string;
  readonly linked: boolean;
}

/**
 * Reads objects by their IDs, as many of the first ones as fit into a page.
 *
 * @param tx of one snapshot
 * @param ids in order, each once
 * @param time in the past, of the records
 */
export async function readObjects(
  tx: CustomerTransaction,
  ids: readonly string[],
  time?: string,
): Promise<ObjectPage> {
  const rows = await (time === undefined
    ? tx.query<SizedRow>(present.rows, [ids])
    : tx.query<SizedRow>(pastRows, [ids, time]));
  const last = rows.at(-1);
  const read = last?.cut === true ? ids.filter((id) => id <= last.canonical_id) : ids;
  const objects = byObject(rows);
  const lacking = objects.filter((own) => own.length < platformNames.length).map(([own]) => own.canonical_id);
  return { ids: read, objects, candidates: await candidatesOf(tx, lacking, time) };
}

/** @param ids of objects without a record on some platform; others have no candidates */
async function candidatesOf(
  tx: CustomerTransaction,
  ids: readonly string[],
  time: string | undefined,
): Promise<ObjectPage['candidates']> {
  if (ids.length === 0) return new Map();
  const own = [ids, platformNames];
  const found = await (time === undefined
    ? tx.query<CandidateRow>(present.candidates, own)
    : tx.query<CandidateRow>(pastCandidates, [...own, time]));
  return candidatesByObject(found);
}

/** A former version of an object's record. */
export type FormerRow = ComparedRow & { readonly until: string };

/** Where former versions of an object's records are read on. */
export interface FormerPlace {
  readonly id: string;
  /** All versions that ended since this time have been read; undefined at first. As the database writes it. */
  readonly before: string | undefined;
}

/** Some former versions of an object's records: all that ended between the earliest end among them and their place. */
export interface FormerStep {
  readonly rows: readonly FormerRow[];
  /** Undefined if there are no older versions. */
  readonly next: FormerPlace | undefined;
}

/** The step of an object without former versions. */
export const noFormer: FormerStep = { rows: [], next: undefined };

/** Maximum number of versions of an object that are read at once. Versions that ended together are read together. */
const STEP_VERSIONS = 50;

/** Maximum bytes of them: at first for many objects at once, then for few whose items have been open for longer. */
const FIRST_BYTES = 256 * 1024;
const FURTHER_BYTES = 2 * 1024 * 1024;

/** Maximum number of objects whose further versions are read at once. */
export const FURTHER_AT_ONCE = 4;

/** @param at the parameter that holds a time in the past, at which versions inherit what they inherit */
function formerSql(at?: string): string {
  const { columns, joins } = copyQuery(undefined, at);
  return `
  select ${comparedColumns(columns, at === undefined ? 'platform_records' : recordsAt(at))},
    (extract(epoch from r.until) * 1000000)::bigint::text as until, ${timeText('r.until')} as ended, r.more
  from (
    select sized.*, sum(size) over latest as bytes, rank() over latest as place,
      count(*) over whole >= ${STEP_VERSIONS} or sum(size) over whole > $4::bigint as more
    from (
      select v.*, octet_length(v.payload::text) as size
      from unnest($2::text[], $3::timestamptz[]) object (id, before)
      cross join lateral (
        select n.* from record_versions n
        where n.customer_id = $1 and n.canonical_id = object.id and n.until < object.before
          ${at === undefined ? '' : `and n.until <= ${at}::timestamptz`}
        order by n.until desc fetch first ${STEP_VERSIONS} rows with ties
      ) v
    ) sized
    window latest as (partition by canonical_id order by until desc), whole as (partition by canonical_id)
  ) r
  ${joins}
  where r.bytes <= $4::bigint or r.place = 1`;
}

const formerNow = formerSql();
const formerThen = formerSql('$5');

type SteppedRow = FormerRow & {
  /** The end of the version, as the database writes it. */
  readonly ended: string;
  /** Whether the object may have older versions. */
  readonly more: boolean;
};

/**
 * Former versions of objects' records, the latest first. All of them come with the values that they inherit from the
 * records at one time, not at their own times. The result for a past time is the same whenever it is read.
 *
 * @param places all at the beginning, or all behind it
 * @param time before which the objects had the versions, and whose records they inherit from; now by default
 * @returns by object; an object without such versions has no entry
 */
export async function readFormer(
  tx: CustomerTransaction,
  places: readonly FormerPlace[],
  time?: string,
): Promise<ReadonlyMap<string, FormerStep>> {
  if (places.length === 0) return new Map();
  const bytes = places.some(({ before }) => before === undefined) ? FIRST_BYTES : FURTHER_BYTES;
  const given = [places.map(({ id }) => id), places.map(({ before }) => before ?? 'infinity'), bytes];
  const rows = await (time === undefined
    ? tx.query<SteppedRow>(formerNow, given)
    : tx.query<SteppedRow>(formerThen, [...given, time]));
  return new Map(byObject(rows).map((own) => [own[0].canonical_id, stepOf(own)]));
}

function stepOf(rows: readonly [SteppedRow, ...SteppedRow[]]): FormerStep {
  const [{ canonical_id: id, more }] = rows;
  const before = rows.map(({ ended }) => ended).reduce((one, other) => (one < other ? one : other));
  return { rows, next: more ? { id, before } : undefined };
}

function candidatesByObject(rows: readonly CandidateRow[]): ReadonlyMap<string, readonly Candidate[]> {
  const candidates = new Map<string, Map<string, Candidate>>();
  for (const { object_id, platform, platform_id: platformId, canonical_id: canonicalId, linked } of rows) {
    const own = candidates.get(object_id) ?? new Map<string, Candidate>();
    candidates.set(object_id, own);
    // Two records of an object may have the same key.
    const name = `${platform} ${platformId}`;
    const known = own.get(name);
    own.set(name, { platform, platformId, canonicalId, linked: linked || known?.linked === true });
  }
  return new Map([...candidates].map(([id, own]) => [id, [...own.values()]]));
}

const withFormer = `
  select object.id from unnest($2::text[]) object (id)
  cross join lateral (
    select from record_versions n where n.customer_id = $1 and n.canonical_id = object.id limit 1
  ) former`;

/** The objects among some that have former versions. */
export async function idsWithFormer(
  tx: CustomerTransaction,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(withFormer, [ids]);
  return new Set(rows.map(({ id }) => id));
}

/** IDs of canonical objects after a given ID, in the order of their IDs. */
export async function idsBehind(
  tx: CustomerTransaction,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>(
    'select id from canonical_objects where customer_id = $1 and id > $2 order by id limit $3',
    [after, limit],
  );
  return rows.map(({ id }) => id);
}
