import { storedEntityTypes, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { Cursors } from '../../common/paging/paging';
import {
  isBigintText,
  isMicrosecondsText,
  isMilliseconds,
  isOneOf,
  isText,
} from '../../common/paging/sort-keys';
import { ageGroups, ageLimits, DAY_MS, openedBetween, type AgeGroup } from '../statement/figures/ages';
import type { CaseKind } from './case-parts';
import type { CaseSort } from '../statement/statement.dto';

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
  /** JSON text. */
  readonly detail: string;
}

/** The last case of a page, at which the next page continues. */
export type CasePosition = readonly [asOf: number, key: string, opened: string, id: string];

const columns = `c.id, c.object_id, c.kind, c.entity_type, c.left_platform, c.right_platform, c.platform, c.platform_id, c.field,
    c.project_id, c.difference::text as difference, c.weight::text as weight,
    (extract(epoch from c.opened_at) * 1000000)::bigint::text as opened, c.detail::text as detail`;

// A case of one record belongs to every pair of its platform.
const filtered = `
  c.customer_id = $1
    and ((c.left_platform = $2 and c.right_platform = $3)
      or (c.left_platform = c.right_platform and c.left_platform in ($2, $3)))
    and ($4::text is null or c.kind = $4) and ($5::text is null or c.entity_type = $5)
    and ($6::text is null or c.project_id = $6) and ($7::text is null or c.field = $7)
    and ($8::text is null or c.left_currency = $8 or c.right_currency = $8)
    and ($9::timestamptz is null or c.opened_at > $9::timestamptz)
    and ($10::timestamptz is null or c.opened_at <= $10::timestamptz)
    and ($11::text[] is null or c.object_id <> all ($11::text[]))`;

const opened = `(timestamptz 'epoch' + $13::bigint * interval '1 microsecond')`;

const orders: Readonly<Record<CaseSort, { readonly by: string; readonly behind: string }>> = {
  age: { by: 'c.opened_at, c.id', behind: `$12::text = '' and (c.opened_at, c.id) > (${opened}, $14)` },
  amount: {
    by: 'c.weight desc, c.id',
    behind: `$13::bigint is not null and (c.weight < $12::bigint or (c.weight = $12::bigint and c.id > $14))`,
  },
  type: {
    by: 'c.entity_type, c.opened_at, c.id',
    behind: `(c.entity_type, c.opened_at, c.id) > ($12, ${opened}, $14)`,
  },
};

/** The sort keys of cases, as text. */
export interface CaseKeys {
  /** The sort key beside the age. */
  readonly key: string;
  readonly opened: string;
  readonly id: string;
}

/** The order of cases, the same as that of the database. */
export function compareKeys(sort: CaseSort, one: CaseKeys, other: CaseKeys): number {
  // The largest first.
  if (sort === 'amount') return byNumber(other.key, one.key) || byText(one.id, other.id);
  return byText(one.key, other.key) || byNumber(one.opened, other.opened) || byText(one.id, other.id);
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
  return { key: keyOf(row, sort), opened: row.opened, id: row.id };
}

/** What a case is sorted by beside its age. */
function keyOf(row: Omit<CaseRow, 'detail'>, sort: CaseSort): string {
  if (sort === 'age') return '';
  return sort === 'amount' ? row.weight : row.entity_type;
}

/** The position of a case in a list. */
export function positionOf(row: CaseRow, sort: CaseSort, asOf: number): CasePosition {
  return [asOf, keyOf(row, sort), row.opened, row.id];
}

const cursorsBy = (sort: CaseSort, isKey: (value: unknown) => value is string): Cursors<CasePosition> =>
  new Cursors<CasePosition>(`cases by ${sort}`, [isMilliseconds, isKey, isMicrosecondsText, isText]);

/** The cursors of each order: a position has the key that {@link positionOf} gives it there. */
export const caseCursors: Readonly<Record<CaseSort, Cursors<CasePosition>>> = {
  age: cursorsBy('age', isOneOf([''])),
  amount: cursorsBy('amount', isBigintText),
  type: cursorsBy('type', isOneOf(storedEntityTypes)),
};

function parametersOf(
  customerId: string,
  filter: CaseFilter,
  asOf: number,
  without: readonly string[] | undefined,
): readonly unknown[] {
  const between = filter.age && openedBetween(filter.age, asOf);
  const time = (milliseconds: number | undefined): string | null =>
    milliseconds === undefined ? null : new Date(milliseconds).toISOString();
  return [
    customerId,
    filter.left,
    filter.right,
    filter.kind ?? null,
    filter.entityType ?? null,
    filter.projectId ?? null,
    filter.field ?? null,
    filter.currency ?? null,
    time(between?.after),
    time(between?.until),
    without ?? null,
  ];
}

/** Maximum bytes of stored details of a page of cases. Its first case is always included. */
export const CASE_BYTES = 2 * 1024 * 1024;

/** A case of a page. A case that did not fit has no detail and only shows that there is more. */
export type ListedCaseRow = CaseRow | (Omit<CaseRow, 'detail'> & { readonly detail: null });

/** Whether a case of a page is complete. */
export function isWhole(row: ListedCaseRow): row is CaseRow {
  return row.detail !== null;
}

// What was made text once is measured and sent.
function pageOf(by: string, conditions: string, limit: string): string {
  return `
    select id, object_id, kind, entity_type, left_platform, right_platform, platform, platform_id, field, project_id,
      difference, weight, opened, case when fits then detail end as detail
    from (
      select found.*,
        found.place = 1 or sum(octet_length(found.detail)) over (order by found.place) <= ${CASE_BYTES} as fits
      from (
        select ${columns}, row_number() over (order by ${by}) as place
        from comparison_cases c where ${conditions} order by ${by} limit ${limit} offset 0
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
    /** IDs of objects whose cases are excluded. */
    readonly without?: readonly string[];
  },
): Promise<readonly ListedCaseRow[]> {
  const { by, behind } = orders[page.sort];
  const parameters = parametersOf(tx.customerId, filter, page.asOf, page.without);
  if (page.after === undefined) {
    return tx.store.query<ListedCaseRow>(pageOf(by, filtered, '$12'), [...parameters, page.limit]);
  }
  const [, key, since, id] = page.after;
  const conditions = `${filtered} and ${behind}`;
  return tx.store.query<ListedCaseRow>(pageOf(by, conditions, '$15'), [
    ...parameters,
    key,
    since,
    id,
    page.limit,
  ]);
}

/** One case; undefined when none is open under this ID. */
export async function findCase(tx: CustomerTransaction, id: string): Promise<CaseRow | undefined> {
  if (!isText(id)) return undefined;
  const [row] = await tx.query<CaseRow>(
    `select ${columns} from comparison_cases c where c.customer_id = $1 and c.id = $2`,
    [id],
  );
  return row;
}

/** Maximum number of values of a facet that are counted by name. */
export const MOST_VALUES = 50;

/** The number of cases with a filter value. */
export interface CaseCount {
  readonly facet: string;
  readonly value: string;
  readonly count: number;
}

const facetsOf = `
  select facet, value, count from (
    select facet, value, count, row_number() over (partition by facet order by count desc, value) as place
    from (
      select case when grouping(kind) = 0 then 'kind' when grouping(entity_type) = 0 then 'entity_type'
          when grouping(field) = 0 then 'field' when grouping(project_id) = 0 then 'project_id'
          when grouping(age) = 0 then 'age' else 'total' end as facet,
        coalesce(case when grouping(kind) = 0 then kind when grouping(entity_type) = 0 then entity_type
          when grouping(field) = 0 then field when grouping(project_id) = 0 then project_id
          when grouping(age) = 0 then age else 'total' end, '') as value,
        count(*)::int as count
      from (
        select c.kind, c.entity_type, c.field, c.project_id, case
          when c.opened_at > $12::timestamptz then $15 when c.opened_at > $13::timestamptz then $16
          when c.opened_at > $14::timestamptz then $17 else $18 end as age
        from comparison_cases c where ${filtered}
      ) counted
      group by grouping sets ((kind), (entity_type), (field), (project_id), (age), ())
    ) named
    where value <> ''
  ) placed
  where $19::int is null or place <= $19::int
  order by facet, place`;

/**
 * The numbers of cases by filter value.
 *
 * @param without IDs of objects whose cases are excluded; all values of a facet are counted then, otherwise the most
 *   frequent ones
 */
export function countCases(
  tx: CustomerTransaction,
  filter: CaseFilter,
  asOf: number,
  without?: readonly string[],
): Promise<readonly CaseCount[]> {
  return tx.store.query(facetsOf, [
    ...parametersOf(tx.customerId, filter, asOf, without),
    ...ageLimits.map((days) => new Date(asOf - (days + 1) * DAY_MS).toISOString()),
    ...ageGroups,
    without === undefined ? MOST_VALUES : null,
  ]);
}
