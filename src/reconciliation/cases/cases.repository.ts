import { storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { timeText } from '../../database/transaction/time-text';
import { Cursors } from '../../common/paging/paging';
import { isBigintText, isMilliseconds, isOneOf, isText, isTimeText } from '../../common/paging/sort-keys';
import {
  ageGroups,
  ageLimits,
  DAY_MS,
  openedBetween,
  type AgeBy,
  type AgeGroup,
} from '../statement/figures/ages';
import { casesAt, casesIn } from '../comparisons/case-rows.repository';
import type { KeptComparisons } from '../comparisons/past/past-comparisons';
import type { CaseKind, ClosedBy } from './case-parts';
import { acceptedSql, reviewsIn } from '../reviews/case-reviews.repository';
import type { OpenPeriod } from '../reviews/case-history';
import type { CaseSort, ListedState } from '../statement/statement.dto';

/** The filter of a list of cases. */
export interface CaseFilter {
  readonly left: PlatformName;
  readonly right: PlatformName;
  readonly kind?: CaseKind | undefined;
  readonly entityType?: StoredEntityType | undefined;
  readonly projectId?: string | undefined;
  readonly field?: string | undefined;
  readonly currency?: string | undefined;
  readonly age?: AgeGroup | undefined;
  /** From when ages count. */
  readonly ageBy: AgeBy;
  /** The day up to which documents count, `YYYY-MM-DD`; undefined for all. */
  readonly through?: string | undefined;
  readonly state: ListedState;
  readonly owner?: string | undefined;
}

/** Closed cases, or all. */
export interface ClosedFilter {
  readonly state: Exclude<ListedState, 'open' | 'accepted'>;
  /** The times between which they were closed, both included; in UTC. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The cases among which a list chooses: those that are not closed unless set; those of a time; or closed ones. */
export interface CaseSource {
  readonly kept?: KeptComparisons | undefined;
  readonly closed?: ClosedFilter | undefined;
  /** A time in the past, for which reviews are read; in UTC, with microseconds. */
  readonly time?: string | undefined;
}

/** A case as it is stored. */
export interface CaseRow {
  readonly id: string;
  readonly object_id: string;
  readonly kind: CaseKind;
  readonly entity_type: StoredEntityType;
  readonly left_platform: PlatformName;
  readonly right_platform: PlatformName;
  readonly platform: PlatformName | null;
  readonly platform_id: string | null;
  readonly field: string | null;
  readonly project_id: string | null;
  readonly difference: string | null;
  readonly weight: string;
  /** Microseconds since 1970. */
  readonly opened: string;
  /** From when its age counts, in microseconds since 1970. */
  readonly aged: string;
  /** `YYYY-MM-DD`. */
  readonly document_date: string | null;
  readonly due_date: string | null;
  /** In UTC, with microseconds; null while it is open. */
  readonly closed_at: string | null;
  readonly closed_by: ClosedBy | null;
  readonly closed_by_id: string | null;
  /** Digest of its values; null if a former release made the row. */
  readonly values_digest: string | null;
  /** JSON text. */
  readonly detail: string;
}

/** The last case of a page, at which the next page continues. */
export type CasePosition = readonly [asOf: number, key: string, aged: string, id: string];

/** The column from which ages count. */
const agedColumn: Readonly<Record<AgeBy, string>> = {
  seen: 'c.opened_at',
  document: 'c.document_since',
  due: 'c.due_since',
};

const microsecondsOf = (time: string): string => `(extract(epoch from ${time}) * 1000000)::bigint::text`;

const columnsBy = (
  by: AgeBy,
): string => `c.id, c.object_id, c.kind, c.entity_type, c.left_platform, c.right_platform,
    c.platform, c.platform_id, c.field, c.project_id, c.difference::text as difference, c.weight::text as weight,
    ${microsecondsOf('c.opened_at')} as opened, ${microsecondsOf(agedColumn[by])} as aged,
    c.document_date::text as document_date, c.due_date::text as due_date, ${timeText('c.closed_at')} as closed_at,
    c.closed_by, c.closed_by_id, c.values_digest, c.detail::text as detail`;

/** The parameters of a statement from `$2` on, in the order in which its text names them. */
class Parameters {
  readonly values: unknown[] = [];

  /** @returns the placeholder */
  add(value: unknown): string {
    return `$${this.values.push(value) + 1}`;
  }
}

/**
 * SQL for the relation of cases of a source, each with its owner and whether its difference is accepted.
 *
 * @param read whether a `page` is read, which looks reviews up case by case, or `all` cases
 */
function sourceSql(
  filter: CaseFilter,
  source: CaseSource,
  asOf: number,
  read: 'page' | 'all',
  parameters: Parameters,
): string {
  const { time } = source;
  const at = parameters.add(time ?? timeOf(asOf));
  const cases = casesOf(source, parameters);
  const reviews = reviewsIn(time === undefined ? undefined : at);
  const { state, owner } = filter;
  // Reviews lead to the cases of an owner and to accepted ones, so that the others are not read.
  const reviewed =
    owner !== undefined
      ? `r.owner = ${parameters.add(owner)}`
      : state === 'accepted'
        ? 'r.accepted_at is not null'
        : undefined;
  const joined =
    reviewed !== undefined
      ? `(select r.* from ${reviews} r where ${reviewed} offset 0) r
        cross join lateral (select k.* from ${cases} k where k.id = r.case_id offset 0) k`
      : read === 'page'
        ? `${cases} k left join lateral (select r.* from ${reviews} r where r.case_id = k.id limit 1) r on true`
        : `${cases} k left join ${reviews} r on r.customer_id = $1 and r.case_id = k.id`;
  return `(
    select k.*, r.owner, k.closed_at is null and ${acceptedSql('k', at)} as is_accepted from ${joined})`;
}

function casesOf({ kept, closed }: CaseSource, parameters: Parameters): string {
  if (kept !== undefined) return casesAt(parameters.add(kept.mark));
  if (closed === undefined) return casesIn('open');
  const { state, since, until } = closed;
  const between = [
    ...(since === undefined ? [] : [`v.closed_at >= ${parameters.add(since)}::timestamptz`]),
    ...(until === undefined ? [] : [`v.closed_at <= ${parameters.add(until)}::timestamptz`]),
  ];
  return casesIn(state, between);
}

function conditionsOf(
  filter: CaseFilter,
  source: CaseSource,
  asOf: number,
  parameters: Parameters,
): readonly string[] {
  const { kind, entityType, projectId, field, currency, age, ageBy, through, state, owner } = filter;
  const [left, right] = [parameters.add(filter.left), parameters.add(filter.right)];
  const between = age && openedBetween(age, asOf);
  const equal = (column: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [`c.${column} = ${parameters.add(value)}`];
  const aged = (relation: string, milliseconds: number | undefined): readonly string[] =>
    milliseconds === undefined
      ? []
      : [`${agedColumn[ageBy]} ${relation} ${parameters.add(timeOf(milliseconds))}::timestamptz`];
  const day = through === undefined ? undefined : `${parameters.add(through)}::date`;
  const money = currency === undefined ? undefined : parameters.add(currency);
  return [
    'c.customer_id = $1',
    // A case of one record belongs to every pair of its platform.
    `((c.left_platform = ${left} and c.right_platform = ${right})
      or (c.left_platform = c.right_platform and c.left_platform in (${left}, ${right})))`,
    ...equal('kind', kind),
    ...equal('entity_type', entityType),
    ...equal('project_id', projectId),
    ...equal('field', field),
    ...equal('owner', owner),
    ...(state === 'open' ? ['not c.is_accepted'] : state === 'accepted' ? ['c.is_accepted'] : []),
    ...(money === undefined ? [] : [`(c.left_currency = ${money} or c.right_currency = ${money})`]),
    ...aged('>', between?.after),
    ...aged('<=', between?.until),
    ...(day === undefined
      ? ['c.listed_before is null']
      : [
          `(c.listed_from is null or c.listed_from <= ${day})`,
          `(c.listed_before is null or c.listed_before > ${day})`,
        ]),
    ...(source.kept === undefined
      ? []
      : [`c.object_id <> all (${parameters.add(source.kept.without)}::text[])`]),
  ];
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

interface Order {
  readonly by: string;
  readonly behind: string;
}

/** SQL for an order, and for the rows behind a position. */
function orderOf(
  sort: CaseSort,
  by: AgeBy,
  position: readonly [key: string, aged: string, id: string],
): Order {
  const column = agedColumn[by];
  const [key, aged, id] = position;
  const time = `(timestamptz 'epoch' + ${aged}::bigint * interval '1 microsecond')`;
  switch (sort) {
    case 'age':
      return { by: `${column}, c.id`, behind: `${key}::text = '' and (${column}, c.id) > (${time}, ${id})` };
    case 'amount':
      return {
        by: 'c.weight desc, c.id desc',
        behind: `${aged}::bigint is not null and (c.weight, c.id) < (${key}::bigint, ${id})`,
      };
    case 'type':
      return {
        by: `c.entity_type, ${column}, c.id`,
        behind: `(c.entity_type, ${column}, c.id) > (${key}, ${time}, ${id})`,
      };
    case 'closed':
      return {
        by: 'c.closed_at desc, c.id desc',
        behind: `${aged}::bigint is not null and (c.closed_at, c.id) < (${key}::timestamptz, ${id})`,
      };
  }
}

/** The sort keys of cases, as text. */
export interface CaseKeys {
  /** The sort key beside the age. */
  readonly key: string;
  readonly aged: string;
  readonly id: string;
}

/** The order of cases, the same as that of the database. */
export function compareKeys(sort: CaseSort, one: CaseKeys, other: CaseKeys): number {
  // The largest first, from the end of an index.
  if (sort === 'amount') return byNumber(other.key, one.key) || byText(other.id, one.id);
  return byText(one.key, other.key) || byNumber(one.aged, other.aged) || byText(one.id, other.id);
}

function byNumber(one: string, other: string): number {
  const difference = BigInt(one) - BigInt(other);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

// All keys are ASCII, whose order is that of the bytes.
function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** What a case is sorted by. */
export function keysOf(row: Omit<CaseRow, 'detail'>, sort: CaseSort): CaseKeys {
  return { key: keyOf(row, sort), aged: row.aged, id: row.id };
}

/** What a case is sorted by beside its age. */
function keyOf(row: Omit<CaseRow, 'detail'>, sort: CaseSort): string {
  if (sort === 'age') return '';
  if (sort === 'closed') return row.closed_at ?? '';
  return sort === 'amount' ? row.weight : row.entity_type;
}

/** The position of a case in a list. */
export function positionOf(row: CaseRow, sort: CaseSort, asOf: number): CasePosition {
  return [asOf, keyOf(row, sort), row.aged, row.id];
}

/** Microseconds since 1970, of the years 1 to 9999. */
function isAge(value: unknown): value is string {
  if (!isBigintText(value)) return false;
  const milliseconds = BigInt(value) / 1000n;
  return milliseconds >= -62_135_596_800_000n && milliseconds < 253_402_300_800_000n;
}

const cursorsBy = (sort: CaseSort, isKey: (value: unknown) => value is string): Cursors<CasePosition> =>
  new Cursors<CasePosition>(`cases by ${sort}`, [isMilliseconds, isKey, isAge, isText]);

/** The cursors of each order: a position has the key that {@link positionOf} gives it there. */
export const caseCursors: Readonly<Record<CaseSort, Cursors<CasePosition>>> = {
  age: cursorsBy('age', isOneOf([''])),
  amount: cursorsBy('amount', isBigintText),
  type: cursorsBy('type', isOneOf(storedEntityTypes)),
  closed: cursorsBy('closed', isTimeText),
};

/** Maximum bytes of stored details of a page of cases. Its first case is always included. */
export const CASE_BYTES = 2 * 1024 * 1024;

/** A case of a page. A case that did not fit has no detail and only shows that there is more. */
export type ListedCaseRow = CaseRow | (Omit<CaseRow, 'detail'> & { readonly detail: null });

/** Whether a case of a page is complete. */
export function isWhole(row: ListedCaseRow): row is CaseRow {
  return row.detail !== null;
}

// What was made text once is measured and sent.
function pageOf(source: string, by: AgeBy, order: string, limit: string): string {
  return `
    select id, object_id, kind, entity_type, left_platform, right_platform, platform, platform_id, field, project_id,
      difference, weight, opened, aged, document_date, due_date, closed_at, closed_by, closed_by_id, values_digest,
      case when fits then detail end as detail
    from (
      select found.*,
        found.place = 1 or sum(octet_length(found.detail)) over (order by found.place) <= ${CASE_BYTES} as fits
      from (
        select ${columnsBy(by)}, row_number() over (order by ${order}) as place
        from ${source} c order by ${order} limit ${limit} offset 0
      ) found
    ) measured order by place`;
}

/**
 * Cases in an order, after a position: the cases that fit into a page, followed by others without their details.
 *
 * @param asOf the moment from which ages are computed, in milliseconds
 */
export function readCases(
  tx: CustomerTransaction,
  filter: CaseFilter,
  page: {
    readonly asOf: number;
    readonly sort: CaseSort;
    readonly after: CasePosition | undefined;
    readonly limit: number;
  },
  source: CaseSource = {},
): Promise<readonly ListedCaseRow[]> {
  const parameters = new Parameters();
  const { ageBy } = filter;
  const [, key = '', aged = '', id = ''] = page.after ?? [];
  const isFirst = page.after === undefined;
  const { by, behind } = orderOf(
    page.sort,
    ageBy,
    isFirst ? ['', '', ''] : [parameters.add(key), parameters.add(aged), parameters.add(id)],
  );
  const limit = parameters.add(page.limit);
  // Open and closed cases each come in the order of an index of their table, so that no more than the page is read.
  const parts =
    source.closed?.state === 'all'
      ? [{}, { closed: { ...source.closed, state: 'closed' } as const }]
      : [source];
  const first = parts.map((part) => {
    const relation = sourceSql(filter, part, page.asOf, 'page', parameters);
    const conditions = [...conditionsOf(filter, part, page.asOf, parameters), ...(isFirst ? [] : [behind])];
    return `(select c.* from ${relation} c where ${conditions.join(' and ')} order by ${by} limit ${limit} offset 0)`;
  });
  const sql = pageOf(`(${first.join(' union all ')})`, ageBy, by, limit);
  return tx.query<ListedCaseRow>(sql, parameters.values);
}

const oneCase = `
  select ${columnsBy('seen')} from (
    select * from ${casesIn('open')} o where o.id = $2
    union all
    select * from ${casesIn('closed')} v where v.id = $2
  ) c`;

/** One case, open or closed; undefined if there is none with this ID. */
export async function findCase(tx: CustomerTransaction, id: string): Promise<CaseRow | undefined> {
  if (!isText(id)) return undefined;
  const [row] = await tx.query<CaseRow>(oneCase, [id]);
  return row;
}

/** Cases by ID. */
export interface NamedCases {
  /** The digest of the values of each open case; null if a former release made its row. */
  readonly open: ReadonlyMap<string, string | null>;
  readonly closed: ReadonlySet<string>;
}

/** Which of some cases are open, and which are closed. Others do not exist. */
export async function casesNamed(tx: CustomerTransaction, ids: readonly string[]): Promise<NamedCases> {
  const named = [ids.filter((id) => isText(id))];
  const [open, closed] = await Promise.all([
    tx.query<{ id: string; values_digest: string | null }>(
      'select c.id, c.values_digest from comparison_cases c where c.customer_id = $1 and c.id = any ($2::text[])',
      named,
    ),
    tx.query<{ id: string }>(
      `select distinct v.id from case_versions v
       where v.customer_id = $1 and v.id = any ($2::text[]) and v.closed_at is not null`,
      named,
    ),
  ]);
  return {
    open: new Map(open.map((row) => [row.id, row.values_digest])),
    closed: new Set(closed.map(({ id }) => id)),
  };
}

/** The last times for which a case was open, newest first. */
export function openPeriods(
  tx: CustomerTransaction,
  id: string,
  most: number,
): Promise<readonly OpenPeriod[]> {
  return tx.query<OpenPeriod>(
    `select ${timeText('p.opened_at')} as "openedAt", ${timeText('p.closed_at')} as "closedAt",
       p.closed_by as "closedBy", p.closed_by_id as "closedById"
     from (
       select o.opened_at, o.closed_at, o.closed_by, o.closed_by_id from ${casesIn('open')} o where o.id = $2
       union all
       select v.opened_at, v.closed_at, v.closed_by, v.closed_by_id from case_versions v
       where v.customer_id = $1 and v.id = $2 and v.closed_at is not null
     ) p order by p.closed_at desc nulls first limit $3`,
    [id, most],
  );
}

/** Maximum number of values of a facet that are counted by name. */
export const MOST_VALUES = 50;

/** The number of cases with a filter value. */
export interface CaseCount {
  readonly facet: string;
  readonly value: string;
  readonly count: number;
}

/**
 * The numbers of cases by filter value: of each facet the most frequent values, or all values of a time in the past, where
 * further cases are to be counted.
 */
export function countCases(
  tx: CustomerTransaction,
  filter: CaseFilter,
  asOf: number,
  source: CaseSource = {},
): Promise<readonly CaseCount[]> {
  const parameters = new Parameters();
  const relation = sourceSql(filter, source, asOf, 'all', parameters);
  const conditions = conditionsOf(filter, source, asOf, parameters);
  const groups = ageLimits.map((days, place) => {
    const limit = parameters.add(timeOf(asOf - (days + 1) * DAY_MS));
    return `when ${agedColumn[filter.ageBy]} > ${limit}::timestamptz then ${parameters.add(ageGroups[place])}`;
  });
  const oldest = parameters.add(ageGroups.at(-1));
  const most = source.kept === undefined ? `where place <= ${parameters.add(MOST_VALUES)}` : '';
  const sql = `
    select facet, value, count from (
      select facet, value, count, row_number() over (partition by facet order by count desc, value) as place
      from (
        select case when grouping(kind) = 0 then 'kind' when grouping(entity_type) = 0 then 'entity_type'
            when grouping(field) = 0 then 'field' when grouping(project_id) = 0 then 'project_id'
            when grouping(age) = 0 then 'age' when grouping(state) = 0 then 'state'
            when grouping(owner) = 0 then 'owner' else 'total' end as facet,
          coalesce(case when grouping(kind) = 0 then kind when grouping(entity_type) = 0 then entity_type
            when grouping(field) = 0 then field when grouping(project_id) = 0 then project_id
            when grouping(age) = 0 then age when grouping(state) = 0 then state
            when grouping(owner) = 0 then owner else 'total' end, '') as value,
          count(*)::int as count
        from (
          select c.kind, c.entity_type, c.field, c.project_id, c.owner,
            case when c.closed_at is not null then 'closed' when c.is_accepted then 'accepted' else 'open' end as state,
            case ${groups.join(' ')} else ${oldest} end as age
          from ${relation} c where ${conditions.join(' and ')}
        ) counted
        group by grouping sets ((kind), (entity_type), (field), (project_id), (age), (state), (owner), ())
      ) named
      where value <> ''
    ) placed
    ${most}
    order by facet, place`;
  return tx.query<CaseCount>(sql, parameters.values);
}
