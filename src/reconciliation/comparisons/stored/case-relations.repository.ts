// SQL of the relations of cases that readers select from: open, closed, at a mark, and with reviews.

import { columnList } from '../../../database/column-list';
import { inForce } from './replaced-rows';

/** Columns of a case and of its versions. */
export const caseColumns = [
  'id',
  'object_id',
  'left_platform',
  'right_platform',
  'kind',
  'entity_type',
  'platform',
  'platform_id',
  'field',
  'project_id',
  'left_currency',
  'right_currency',
  'difference',
  'weight',
  'opened_at',
  'document_date',
  'due_date',
  'document_since',
  'due_since',
  'listed_from',
  'listed_before',
  'detail',
  'values_digest',
] as const;

/**
 * SQL for cases that were open at a mark: a relation with the columns of a case. `$1` is the customer.
 *
 * @param mark the parameter that holds the mark
 */
export function casesAt(mark: string): string {
  return `(select k.*, ${unclosed} from ${inForce('comparison_cases', 'case_versions', caseColumns, mark)} k)`;
}

const unclosed = 'null::timestamptz as closed_at, null::text as closed_by, null::uuid as closed_by_id';

const openCases = `
  select o.customer_id, ${columnList('o', caseColumns)}, ${unclosed} from comparison_cases o where o.customer_id = $1`;

// A case that was closed twice shows its last end, and one that is open again none.
const closedCases = `
  select v.customer_id, ${columnList('v', caseColumns)}, v.closed_at, v.closed_by, v.closed_by_id from case_versions v
  where v.customer_id = $1 and v.closed_at is not null
    and not exists (select from comparison_cases o where o.customer_id = $1 and o.id = v.id)
    and not exists (
      select from case_versions l
      where l.customer_id = $1 and l.id = v.id and l.closed_at is not null and l.valid_until > v.valid_until)`;

/**
 * SQL for cases with their last end at a time: a relation like {@link casesAt}. It does not tell whether a case was
 * open again by that time.
 *
 * @param time the statement parameter that holds the time
 * @param refreshed the statement parameter that holds the mark of the last refresh whose ends count
 * @param conditions of closed cases, on the alias `v`
 */
export function casesClosedAt(time: string, refreshed: string, conditions: readonly string[]): string {
  const ended = (version: string): string =>
    `${version}.customer_id = $1 and ${version}.closed_at <= ${time}::timestamptz
      and ${version}.valid_until <= ${refreshed}::timestamptz`;
  return `(
    select v.customer_id, ${columnList('v', caseColumns)}, v.closed_at, v.closed_by, v.closed_by_id from case_versions v
    where ${[ended('v'), ...conditions].join(' and ')}
      and not exists (
        select from case_versions l where ${ended('l')} and l.id = v.id and l.valid_until > v.valid_until))`;
}

/**
 * SQL conditions on the alias `v`: no case with this ID was open at a mark, except cases of some objects. They are two
 * conditions, so that each is one index lookup.
 *
 * @param mark the statement parameter that holds the mark
 * @param without the statement parameter that holds the IDs of the objects
 */
export function notOpenAt(mark: string, without: string): readonly string[] {
  const isInForce = (alias: string): string => `${alias}.customer_id = $1 and ${alias}.id = v.id
    and ${alias}.valid_from <= ${mark}::timestamptz and ${alias}.object_id <> all (${without}::text[])`;
  return [
    `not exists (select from comparison_cases o where ${isInForce('o')})`,
    `not exists (select from case_versions w where ${isInForce('w')} and w.valid_until > ${mark}::timestamptz)`,
  ];
}

/**
 * SQL for the open cases or the closed ones: a relation like {@link casesAt}.
 *
 * @param closed conditions of closed cases, on the alias `v`
 */
export function casesIn(state: 'open' | 'closed', closed: readonly string[] = []): string {
  return `(${state === 'open' ? openCases : [closedCases, ...closed].join(' and ')})`;
}

/**
 * Which open cases a query selects by their acceptance: cases without one, with one that still stands, with one that
 * has ended, with either, or all cases.
 */
export type AcceptanceOfCase = 'none' | 'standing' | 'over' | 'either' | 'whatever';

/** Open cases that all lists have, or only lists of documents up to a day. */
export type ListsOfCase = 'all' | 'up_to_a_day';

// Written as the indexes have it, which begin with it.
const listsSql: Readonly<Record<ListsOfCase, string>> = {
  all: 'o.listed_before is null',
  up_to_a_day: '(o.listed_before is null) is false',
};

const acceptanceSql = (at: string): Readonly<Record<AcceptanceOfCase, string>> => ({
  none: 'not o.is_accepted',
  standing: `o.is_accepted and (o.accepted_until is null or o.accepted_until > ${at}::timestamptz)`,
  over: `o.is_accepted and o.accepted_until <= ${at}::timestamptz`,
  either: 'o.is_accepted',
  // So indexes are used that have this column before others.
  whatever: 'o.is_accepted in (false, true)',
});

/**
 * SQL for open cases with their reviews: a relation like {@link casesIn} with the owner, and with whether the
 * difference is accepted at a time.
 *
 * @param at the statement parameter that holds the time
 * @param lists the lists whose cases are wanted; by default all cases
 * @param acceptance selects cases by their acceptance. The indexes have the cases of the same lists, then those with
 *   or without an acceptance, then the order of a list
 * @param conditions on the alias `o`
 */
export function reviewedCases(
  at: string,
  lists?: ListsOfCase,
  acceptance: AcceptanceOfCase = 'whatever',
  conditions: readonly string[] = [],
): string {
  const of = acceptanceSql(at);
  const own = [of[acceptance], ...(lists === undefined ? [] : [listsSql[lists]]), ...conditions];
  return `(
    select o.customer_id, ${columnList('o', caseColumns)}, ${unclosed}, o.owner, ${of.standing} as is_accepted
    from comparison_cases o where o.customer_id = $1 and ${own.join(' and ')})`;
}
