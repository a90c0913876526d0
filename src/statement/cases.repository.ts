import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { Store } from '../database/store';
import { ageGroups, ageLimits, DAY_MS, openedBetween, type AgeGroup } from './ages';
import type { CaseKind } from './case-parts';
import type { CaseSort } from './statement.dto';

/** Which cases are wanted. */
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

/** The last case of a page, as the next one asks for it. */
export type CasePosition = readonly [asOf: number, key: string, opened: string, id: string];

const columns = `c.id, c.object_id, c.kind, c.entity_type, c.left_platform, c.right_platform, c.platform, c.platform_id, c.field,
    c.project_id, c.difference::text as difference, c.weight::text as weight,
    (extract(epoch from c.opened_at) * 1000000)::bigint::text as opened, c.detail::text as detail`;

// What concerns one record belongs to every pair that its platform is in.
const filtered = `
  c.customer_id = $1
    and ((c.left_platform = $2 and c.right_platform = $3)
      or (c.left_platform = c.right_platform and c.left_platform in ($2, $3)))
    and ($4::text is null or c.kind = $4) and ($5::text is null or c.entity_type = $5)
    and ($6::text is null or c.project_id = $6) and ($7::text is null or c.field = $7)
    and ($8::text is null or c.left_currency = $8 or c.right_currency = $8)
    and ($9::timestamptz is null or c.opened_at > $9::timestamptz)
    and ($10::timestamptz is null or c.opened_at <= $10::timestamptz)`;

const opened = `(timestamptz 'epoch' + $12::bigint * interval '1 microsecond')`;

const orders: Readonly<Record<CaseSort, { readonly by: string; readonly behind: string }>> = {
  age: { by: 'c.opened_at, c.id', behind: `$11::text = '' and (c.opened_at, c.id) > (${opened}, $13)` },
  amount: {
    by: 'c.weight desc, c.id',
    behind: `$12::bigint is not null and (c.weight < $11::bigint or (c.weight = $11::bigint and c.id > $13))`,
  },
  type: {
    by: 'c.entity_type, c.opened_at, c.id',
    behind: `(c.entity_type, c.opened_at, c.id) > ($11, ${opened}, $13)`,
  },
};

/** What a case is sorted by beside its age. */
function keyOf(row: CaseRow, sort: CaseSort): string {
  if (sort === 'age') return '';
  return sort === 'amount' ? row.weight : row.entity_type;
}

/** The position of a case in a list. */
export function positionOf(row: CaseRow, sort: CaseSort, asOf: number): CasePosition {
  return [asOf, keyOf(row, sort), row.opened, row.id];
}

/** Whether a list from outside is a position. */
export function isCasePosition(position: readonly unknown[]): position is CasePosition {
  const [asOf, key, since, id, ...more] = position;
  return (
    more.length === 0 &&
    Number.isSafeInteger(asOf) &&
    Math.abs(Number(asOf)) <= 8.64e15 &&
    typeof key === 'string' &&
    (key === '' || /^-?\d{1,18}$/.test(key) || /^[a-z_]{1,40}$/.test(key)) &&
    typeof since === 'string' &&
    /^-?\d{1,16}$/.test(since) &&
    typeof id === 'string'
  );
}

function parametersOf(customerId: string, filter: CaseFilter, asOf: number): readonly unknown[] {
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
  ];
}

/**
 * Cases in an order, behind a position.
 *
 * @param asOf the moment from which ages count back, in milliseconds
 */
export function readCases(
  store: Store,
  customerId: string,
  filter: CaseFilter,
  page: {
    readonly asOf: number;
    readonly sort: CaseSort;
    readonly after: CasePosition | undefined;
    readonly limit: number;
  },
): Promise<readonly CaseRow[]> {
  const { by, behind } = orders[page.sort];
  const parameters = parametersOf(customerId, filter, page.asOf);
  if (page.after === undefined) {
    const sql = `select ${columns} from comparison_cases c where ${filtered} order by ${by} limit $11`;
    return store.query<CaseRow>(sql, [...parameters, page.limit]);
  }
  const [, key, since, id] = page.after;
  const sql = `select ${columns} from comparison_cases c where ${filtered} and ${behind} order by ${by} limit $14`;
  return store.query<CaseRow>(sql, [...parameters, key, since, id, page.limit]);
}

/** One case; undefined when none is open under this ID. */
export async function findCase(store: Store, customerId: string, id: string): Promise<CaseRow | undefined> {
  const [row] = await store.query<CaseRow>(
    `select ${columns} from comparison_cases c where c.customer_id = $1 and c.id = $2`,
    [customerId, id],
  );
  return row;
}

/** Values of a facet that are counted by name. */
const MOST_VALUES = 50;

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
          when c.opened_at > $11::timestamptz then $14 when c.opened_at > $12::timestamptz then $15
          when c.opened_at > $13::timestamptz then $16 else $17 end as age
        from comparison_cases c where ${filtered}
      ) counted
      group by grouping sets ((kind), (entity_type), (field), (project_id), (age), ())
    ) named
    where value <> ''
  ) placed
  where place <= ${MOST_VALUES}
  order by facet, place`;

/** How many cases there are, by what they can be filtered by. */
export function countCases(
  store: Store,
  customerId: string,
  filter: CaseFilter,
  asOf: number,
): Promise<readonly { readonly facet: string; readonly value: string; readonly count: number }[]> {
  return store.query(facetsOf, [
    ...parametersOf(customerId, filter, asOf),
    ...ageLimits.map((days) => new Date(asOf - (days + 1) * DAY_MS).toISOString()),
    ...ageGroups,
  ]);
}
