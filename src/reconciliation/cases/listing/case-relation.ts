import type { PlatformName, StoredEntityType } from '@app/mapper';
import { COUNTED_MS, countedBy, countsOfCases } from '../../comparisons/stored/case-counts.repository';
import {
  casesAt,
  casesIn,
  casesClosedAt,
  notOpenAt,
  reviewedCases,
  type AcceptanceOfCase,
  type ListsOfCase,
} from '../../comparisons/stored/case-relations.repository';
import { columnList } from '../../../database/column-list';
import { namesThen, objectThen } from '../../../records/objects/placement-then';
import type { KeptComparisons } from '../../past/past-comparisons';
import { acceptedSql, reviewsIn } from '../../annotations/case-reviews.repository';
import { ageLimits, DAY_MS, openedBetween, type AgeBy, type AgeGroup } from '../../statement/figures/ages';
import type { ListedState } from '../../statement/statement.dto';
import type { CaseKind } from '../../../records/events/case-kinds';
import { agedColumn } from './case-order';

/** The filter of a list of cases. */
export interface CaseFilter {
  readonly left: PlatformName;
  readonly right: PlatformName;
  readonly kind?: CaseKind | undefined;
  readonly entityType?: StoredEntityType | undefined;
  /** The platform whose record a case is about, of cases about one record. */
  readonly platform?: PlatformName | undefined;
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

/** Whether cases of a state may be closed. */
export function hasClosed(state: ListedState | undefined): state is 'closed' | 'all' {
  return state === 'closed' || state === 'all';
}

/** The times between which cases were closed, both included; in UTC. */
export interface ClosedBetween {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/** The cases among which a list chooses. Times are in UTC, with microseconds. */
export type CaseSource =
  /** Those of now. */
  | {
      readonly of: 'present';
      readonly state: 'open';
      readonly lists?: ListsOfCase;
      readonly acceptance?: AcceptanceOfCase;
    }
  | { readonly of: 'present'; readonly state: 'closed' | 'all'; readonly between?: ClosedBetween }
  /** Those that were open at a time, of objects whose stored rows show it. */
  | { readonly of: 'open_then'; readonly time: string; readonly kept: KeptComparisons }
  /** Those that were closed at a time. */
  | {
      readonly of: 'closed_then';
      readonly time: string;
      readonly between: ClosedBetween;
      /** The mark of the last finished refresh, whose closed cases never change. */
      readonly refreshed: string;
      readonly kept: KeptComparisons | undefined;
      /** IDs of the cases that were open, of all other objects. */
      readonly open: readonly string[];
    };

/** The parameters of a statement from `$2` on, in the order in which its text names them. */
export class Parameters {
  readonly values: unknown[] = [];

  /** @returns the placeholder */
  add(value: unknown): string {
    return `$${this.values.push(value) + 1}`;
  }
}

/**
 * How closed cases and cases of a past time are joined with their reviews, because their rows do not contain them.
 *
 * - `led_by_reviews`: reviews select the cases of an owner, or the accepted cases, so that other cases are not read;
 * - `case_by_case`: the reviews of each case of a page are looked up;
 * - `all_with_all`: all cases are joined with all reviews.
 */
export type ReviewJoin = 'led_by_reviews' | 'case_by_case' | 'all_with_all';

/** SQL for the relation of cases of a source, each with its owner and whether its difference is accepted. */
export function sourceSql(
  filter: CaseFilter,
  source: CaseSource,
  asOf: number,
  join: ReviewJoin,
  parameters: Parameters,
): string {
  const time = source.of === 'present' ? undefined : source.time;
  const at = parameters.add(time ?? timeOf(asOf));
  if (source.of === 'present' && source.state === 'open')
    return reviewedCases(at, source.lists, source.acceptance);
  if (source.of === 'present' && source.state === 'all') {
    const closed = sourceSql(filter, { ...source, state: 'closed' }, asOf, join, parameters);
    return `(select o.* from ${reviewedCases(at)} o union all select v.* from ${closed} v)`;
  }
  const cases = casesOf(source, parameters);
  const reviews = reviewsIn(time === undefined ? undefined : at);
  const { owner } = filter;
  const joined =
    join === 'led_by_reviews'
      ? `(select r.* from ${reviews} r
          where ${owner === undefined ? 'r.accepted_at is not null' : `r.owner = ${parameters.add(owner)}`} offset 0) r
        cross join lateral (select k.* from ${cases} k where k.id = r.case_id offset 0) k`
      : join === 'case_by_case'
        ? `${cases} k left join lateral (select r.* from ${reviews} r where r.case_id = k.id limit 1) r on true`
        : `${cases} k left join ${reviews} r on r.customer_id = $1 and r.case_id = k.id`;
  return `(
    select k.*, r.owner, k.closed_at is null and ${acceptedSql('k', at)} as is_accepted from ${joined})`;
}

/** Columns by which a list chooses among counted cases. */
const choosable = (alias: string): string =>
  columnList(alias, ['customer_id', ...countedBy, 'opened_at', 'listed_before']);

/**
 * SQL for the numbers of open cases: a relation with the columns by which a list filters, and the number of `cases` of
 * each row. Most rows are stored counts, by the hour in which cases were opened. The cases of the hours in which the
 * age groups end are read one by one, because only some of them belong to the group.
 */
export function countedSql(asOf: number, parameters: Parameters): string {
  const at = parameters.add(timeOf(asOf));
  const hours = ageLimits.map((days) => {
    const begin = Math.floor((asOf - (days + 1) * DAY_MS) / COUNTED_MS) * COUNTED_MS;
    return [parameters.add(timeOf(begin)), parameters.add(timeOf(begin + COUNTED_MS))] as const;
  });
  const counts = hours.map(([begin]) => `n.opened_at <> ${begin}::timestamptz`);
  const columns = (alias: string): string =>
    `${choosable(alias)}, ${alias}.is_accepted, null::timestamptz as closed_at`;
  const single = hours.map(([begin, end]) => {
    const within = [`o.opened_at >= ${begin}::timestamptz`, `o.opened_at < ${end}::timestamptz`];
    return `select ${columns('k')}, 1 from ${reviewedCases(at, 'all', 'whatever', within)} k`;
  });
  return `(
    select ${columns('n')}, n.cases from ${countsOfCases(at)} n where ${counts.join(' and ')}
    union all ${single.join(' union all ')}
  )`;
}

function casesOf(
  source: Exclude<CaseSource, { readonly state: 'open' | 'all' }>,
  parameters: Parameters,
): string {
  switch (source.of) {
    case 'present':
      return casesIn('closed', betweenSql(source.between, parameters));
    case 'open_then':
      return casesAt(parameters.add(source.kept.mark));
    case 'closed_then': {
      const { time, refreshed, kept, open } = source;
      const openThen =
        kept === undefined ? [] : notOpenAt(parameters.add(kept.mark), parameters.add(kept.without));
      return casesClosedAt(parameters.add(time), parameters.add(refreshed), [
        `v.id <> all (${parameters.add(open)}::text[])`,
        ...openThen,
        ...betweenSql(source.between, parameters),
      ]);
    }
  }
}

/** SQL conditions of closed cases, on the alias `v`. */
function betweenSql({ since, until }: ClosedBetween = {}, parameters: Parameters): readonly string[] {
  return [
    ...(since === undefined ? [] : [`v.closed_at >= ${parameters.add(since)}::timestamptz`]),
    ...(until === undefined ? [] : [`v.closed_at <= ${parameters.add(until)}::timestamptz`]),
  ];
}

/**
 * SQL conditions of a filter, on the alias `c`.
 *
 * @param side for a filter by currency: `left` selects the cases whose left amount has the currency, `right` the
 *   others whose right amount has it, `either` both
 */
export function conditionsOf(
  filter: CaseFilter,
  source: CaseSource,
  asOf: number,
  parameters: Parameters,
  side: 'left' | 'right' | 'either' = 'either',
): readonly string[] {
  const { kind, entityType, platform, projectId, field, currency, age, ageBy, through, state, owner } =
    filter;
  const [left, right] = [parameters.add(filter.left), parameters.add(filter.right)];
  const between = age && openedBetween(age, asOf);
  const equal = (column: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [`c.${column} = ${parameters.add(value)}`];
  const aged = (relation: string, milliseconds: number | undefined): readonly string[] =>
    milliseconds === undefined
      ? []
      : [`${agedColumn[ageBy]} ${relation} ${parameters.add(timeOf(milliseconds))}::timestamptz`];
  const day = through === undefined ? undefined : `${parameters.add(through)}::date`;
  const money = currency === undefined ? undefined : currencySql(parameters.add(currency))[side];
  return [
    'c.customer_id = $1',
    // A case of one record belongs to every pair of its platform.
    `((c.left_platform = ${left} and c.right_platform = ${right})
      or (c.left_platform = c.right_platform and c.left_platform in (${left}, ${right})))`,
    ...equal('kind', kind),
    ...equal('entity_type', entityType),
    ...equal('platform', platform),
    ...(projectId !== undefined && hasFormer(source)
      ? [`c.project_id = any (array(${namesOf(projectId, source, parameters)}))`]
      : equal('project_id', projectId)),
    ...equal('field', field),
    ...equal('owner', owner),
    ...(state === 'open' ? ['not c.is_accepted'] : state === 'accepted' ? ['c.is_accepted'] : []),
    ...(money === undefined ? [] : [money]),
    ...aged('>', between?.after),
    ...aged('<=', between?.until),
    ...(day === undefined
      ? ['c.listed_before is null']
      : [
          `(c.listed_from is null or c.listed_from <= ${day})`,
          `(c.listed_before is null or c.listed_before > ${day})`,
        ]),
    ...(source.of === 'open_then'
      ? [`c.object_id <> all (${parameters.add(source.kept.without)}::text[])`]
      : []),
  ];
}

/**
 * Whether cases of a source may have the ID of a project that has been merged into another one since: closed cases keep
 * the ID of their time.
 */
function hasFormer(source: CaseSource): boolean {
  return source.of === 'closed_then' || (source.of === 'present' && source.state !== 'open');
}

/** SQL for the time at which the IDs of projects count. */
function timeOfNames(source: CaseSource, parameters: Parameters): string {
  return source.of === 'present' ? `'infinity'` : parameters.add(source.time);
}

/** SQL for the IDs that name a project: its own, and those of the projects that have been merged into it. */
function namesOf(projectId: string, source: CaseSource, parameters: Parameters): string {
  const names = namesThen(parameters.add(projectId), timeOfNames(source, parameters));
  return `select n.id from ${names} n`;
}

/** SQL for the project that the ID of a case's project names. @param id SQL for the ID */
export function projectOf(id: string, source: CaseSource, parameters: Parameters): string {
  return hasFormer(source) ? objectThen(id, timeOfNames(source, parameters)) : id;
}

function currencySql(currency: string): Readonly<Record<'left' | 'right' | 'either', string>> {
  const left = `c.left_currency = ${currency}`;
  const right = `c.right_currency = ${currency}`;
  return { left, right: `${right} and (${left}) is not true`, either: `(${left} or ${right})` };
}

export function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
