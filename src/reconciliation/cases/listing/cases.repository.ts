import type { CustomerTransaction } from '../../../database/transaction/store';
import { timeText } from '../../../database/transaction/time-text';
import { ageGroups, ageLimits, DAY_MS, type AgeBy } from '../../statement/figures/ages';
import type { CaseSort, ListedState } from '../../statement/statement.dto';
import type { AcceptanceOfCase } from '../../comparisons/stored/case-relations.repository';
import { progressOf } from '../../comparisons/stored/comparison-states.repository';
import { countReviews } from '../../annotations/case-reviews.repository';
import { agedColumn, orderOf, type CasePosition } from './case-order';
import {
  conditionsOf,
  countedSql,
  Parameters,
  projectOf,
  sourceSql,
  timeOf,
  type CaseFilter,
  type CaseSource,
  type ReviewJoin,
} from './case-relation';
import { CASE_BYTES, type ListedCaseRow } from './case-row';

/** Reviews of which each may lead to its case for one page. */
const FEW_REVIEWS = 1_000;

const microsecondsOf = (time: string): string => `(extract(epoch from ${time}) * 1000000)::bigint::text`;

/** SQL for the columns of a {@link CaseRow} of alias `c`. */
export const columnsBy = (
  by: AgeBy,
): string => `c.id, c.object_id, c.kind, c.entity_type, c.left_platform, c.right_platform,
    c.platform, c.platform_id, c.field, c.project_id, c.difference::text as difference, c.weight::text as weight,
    ${microsecondsOf('c.opened_at')} as opened, ${microsecondsOf(agedColumn[by])} as aged,
    c.document_date::text as document_date, c.due_date::text as due_date, ${timeText('c.closed_at')} as closed_at,
    c.closed_by, c.closed_by_id, c.values_digest, c.detail::text as detail`;

// The details are converted to text once, and that text is measured and sent.
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
 * @param page where it begins and how many cases it takes; `asOf` is the moment from which ages are computed, in milliseconds
 */
export async function readCases(
  tx: CustomerTransaction,
  filter: CaseFilter,
  page: {
    readonly asOf: number;
    readonly sort: CaseSort;
    readonly after: CasePosition | undefined;
    readonly limit: number;
  },
  source: CaseSource,
): Promise<readonly ListedCaseRow[]> {
  const parts = partsOf(filter, source);
  const join = await joinOfPage(tx, filter, source, page.asOf);
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
  // Each part is read in the order of an index, so that only the rows of the page are read. For a filter by currency
  // there are two parts: the cases with the currency on the left, and the others with the currency.
  const sides = filter.currency === undefined ? (['either'] as const) : (['left', 'right'] as const);
  const first = parts.flatMap((part) =>
    sides.map((side) => {
      const relation = sourceSql(filter, part, page.asOf, join, parameters);
      const conditions = [
        ...conditionsOf(filter, part, page.asOf, parameters, side),
        ...(isFirst ? [] : [behind]),
      ];
      return `(select c.* from ${relation} c where ${conditions.join(' and ')} order by ${by} limit ${limit} offset 0)`;
    }),
  );
  const sql = pageOf(`(${first.join(' union all ')})`, ageBy, by, limit);
  return tx.query<ListedCaseRow>(sql, parameters.values);
}

/**
 * The parts of a list that indexes have in its orders: open cases of all lists and of those up to a day, each without an
 * acceptance and with one, and closed cases.
 */
function partsOf({ state, through }: CaseFilter, source: CaseSource): readonly CaseSource[] {
  if (source.of !== 'present' || source.state === 'closed') return [source];
  const lists = through === undefined ? (['all'] as const) : (['all', 'up_to_a_day'] as const);
  const acceptances = acceptancesOf[state];
  const open = lists.flatMap((list) =>
    acceptances.map((acceptance): CaseSource => ({ of: 'present', state: 'open', lists: list, acceptance })),
  );
  return source.state === 'all' ? [...open, { ...source, state: 'closed' }] : open;
}

const acceptancesOf: Readonly<Record<ListedState, readonly AcceptanceOfCase[]>> = {
  open: ['none', 'over'],
  accepted: ['standing'],
  closed: [],
  all: ['none', 'either'],
};

function isReviewed({ state, owner }: CaseFilter): boolean {
  return state === 'accepted' || owner !== undefined;
}

/** A few reviews lead to their cases. Among many, the cases of a page are found in the order of the list. */
async function joinOfPage(
  tx: CustomerTransaction,
  filter: CaseFilter,
  source: CaseSource,
  asOf: number,
): Promise<ReviewJoin> {
  const isShown = source.of === 'present' && source.state === 'open';
  if (isShown || !isReviewed(filter)) return 'case_by_case';
  const time = source.of === 'present' ? timeOf(asOf) : source.time;
  const reviews = await countReviews(tx, time, FEW_REVIEWS + 1, filter.owner);
  return reviews > FEW_REVIEWS ? 'case_by_case' : 'led_by_reviews';
}

/** Maximum number of values of a facet that are counted by name. */
export const MOST_VALUES = 50;

/** The number of cases with a filter value. */
export interface CaseCount {
  readonly facet: string;
  readonly value: string;
  readonly count: number;
}

/** Whether the counts that are kept of open cases tell those of a list. */
async function areCountsKept(
  tx: CustomerTransaction,
  { ageBy, through }: CaseFilter,
  source: CaseSource,
): Promise<boolean> {
  const isCounted = source.of === 'present' && source.state === 'open' && ageBy === 'seen';
  return isCounted && through === undefined && (await progressOf(tx))?.counted === true;
}

/**
 * The numbers of cases by filter value, for each facet: the most frequent values, or all values at a past time, to
 * which the caller adds the numbers of further cases.
 */
export async function countCases(
  tx: CustomerTransaction,
  filter: CaseFilter,
  asOf: number,
  source: CaseSource,
): Promise<readonly CaseCount[]> {
  const parameters = new Parameters();
  const join = isReviewed(filter) ? 'led_by_reviews' : 'all_with_all';
  const relation = (await areCountsKept(tx, filter, source))
    ? countedSql(asOf, parameters)
    : `(select k.*, 1 as cases from ${sourceSql(filter, source, asOf, join, parameters)} k)`;
  const conditions = conditionsOf(filter, source, asOf, parameters);
  const groups = ageLimits.map((days, place) => {
    const limit = parameters.add(timeOf(asOf - (days + 1) * DAY_MS));
    return `when ${agedColumn[filter.ageBy]} > ${limit}::timestamptz then ${parameters.add(ageGroups[place])}`;
  });
  const oldest = parameters.add(ageGroups.at(-1));
  const most = source.of === 'present' ? `where place <= ${parameters.add(MOST_VALUES)}` : '';
  // Each ID is resolved once, not each case.
  const value = `case when facet = 'project_id' then ${projectOf('value', source, parameters)} else value end`;
  const sql = `
    select facet, value, count from (
      select facet, value, sum(cases)::int as count,
        row_number() over (partition by facet order by sum(cases) desc, value) as place
      from (
        select facet, ${value} as value, cases from (
          select case when grouping(kind) = 0 then 'kind' when grouping(entity_type) = 0 then 'entity_type'
              when grouping(field) = 0 then 'field' when grouping(project_id) = 0 then 'project_id'
              when grouping(age) = 0 then 'age' when grouping(state) = 0 then 'state'
              when grouping(owner) = 0 then 'owner' else 'total' end as facet,
            coalesce(case when grouping(kind) = 0 then kind when grouping(entity_type) = 0 then entity_type
              when grouping(field) = 0 then field when grouping(project_id) = 0 then project_id
              when grouping(age) = 0 then age when grouping(state) = 0 then state
              when grouping(owner) = 0 then owner else 'total' end, '') as value,
            sum(cases) as cases
          from (
            select c.cases, c.kind, c.entity_type, c.field, c.project_id, c.owner,
              case when c.closed_at is not null then 'closed' when c.is_accepted then 'accepted' else 'open' end as state,
              case ${groups.join(' ')} else ${oldest} end as age
            from ${relation} c where ${conditions.join(' and ')}
          ) counted
          group by grouping sets ((kind), (entity_type), (field), (project_id), (age), (state), (owner), ())
        ) grouped
        where value <> '' and cases > 0
      ) named
      group by facet, value
    ) placed
    ${most}
    order by facet, place`;
  return tx.query<CaseCount>(sql, parameters.values);
}
