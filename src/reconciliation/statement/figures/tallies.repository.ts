import type { PlatformName, RateQuote, StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { ageLimits, DAY_MS, type AgeBy } from './ages';
import { casesAt, casesIn } from '../../comparisons/stored/case-relations.repository';
import { comparisonsAt } from '../../comparisons/stored/comparisons.repository';
import { acceptedSql, countReviews, reviewsIn } from '../../annotations/case-reviews.repository';
import { isOnLeft, isOnRight, type AmountComparison, type State } from '../../comparisons/comparison';
import { factorsInto } from '../../comparisons/conversion';
import type { Part, Tally, TallySide } from './tally';

/** The scope of a statement. */
export interface StatementScope {
  readonly left: PlatformName;
  readonly right: PlatformName;
  readonly types: readonly StoredEntityType[];
  /** Canonical ID; undefined for all projects. */
  readonly projectId: string | undefined;
  readonly currency: string;
  /** The day up to which documents count, `YYYY-MM-DD`; undefined for all. Later ones have lines of their own. */
  readonly through: string | undefined;
  /** From when ages are counted. */
  readonly ageBy: AgeBy;
}

/** The largest amount of the money library. Larger results are not converted. */
const MOST = Number.MAX_SAFE_INTEGER;

/**
 * SQL for an amount in another currency, as the money library converts it: exactly, then rounded once, half to even.
 * Amounts that fit are computed in eight bytes, others with arbitrary precision.
 *
 * @param factor a row of the fraction: `numerator` and `denominator`, the same as `n8` and `d8` if they fit, and `most`
 */
export function convertedSql(amount: string, factor: string): string {
  const product = `abs(${amount}) * ${factor}.n8`;
  const quotient = `${product} / ${factor}.d8`;
  const twice = `2 * (${product} % ${factor}.d8)`;
  return `case
    when ${amount} is null or ${factor}.currency is null then null
    when ${factor}.numerator = ${factor}.denominator then ${amount}
    when ${factor}.most > 0 and abs(${amount}) <= ${factor}.most then sign(${amount})::bigint * (${quotient} + case
      when ${twice} > ${factor}.d8 or (${twice} = ${factor}.d8 and (${quotient}) % 2 = 1) then 1 else 0 end)
    else (
      select case when rounded <= ${MOST} then (sign(${amount}) * rounded)::bigint end
      from (
        select whole + case when 2 * rest > ${factor}.denominator
          or (2 * rest = ${factor}.denominator and mod(whole, 2) = 1) then 1 else 0 end as rounded
        from (
          select div(abs(${amount})::numeric * ${factor}.numerator, ${factor}.denominator) as whole,
            mod(abs(${amount})::numeric * ${factor}.numerator, ${factor}.denominator) as rest
        ) divided
      ) halved
    ) end`;
}

/** SQL for the factors as a relation, from the four parameters of {@link factorParameters}. */
export function factorsSql(first: number): string {
  const [currency, numerator, denominator, most] = [0, 1, 2, 3].map((at) => `$${first + at}::text[]`);
  return `(
    select currency, numerator::numeric as numerator, denominator::numeric as denominator, most::bigint as most,
      case when most <> '0' then numerator::bigint end as n8, case when most <> '0' then denominator::bigint end as d8
    from unnest(${currency}, ${numerator}, ${denominator}, ${most}) f (currency, numerator, denominator, most)
  )`;
}

export function factorParameters(
  currency: string,
  currencies: readonly string[],
  rates: readonly RateQuote[],
): readonly (readonly string[])[] {
  const factors = factorsInto(currency, currencies, rates);
  return [
    factors.map((one) => one.currency),
    factors.map(({ numerator }) => String(numerator)),
    factors.map(({ denominator }) => String(denominator)),
    factors.map(({ most }) => String(most)),
  ];
}

/** The comparisons that are added up: the present ones, or those at the mark of a refresh. */
export interface TallySource {
  /** In UTC, with microseconds; undefined for the present. */
  readonly mark?: string | undefined;
  /** IDs of objects that are left out. */
  readonly without?: readonly string[];
}

/** SQL for the objects that a source does not leave out. `objects` is the parameter that holds the IDs of the others. */
type ChosenSql = (alias: string, objects: string) => string;

const chosenBy = ({ without }: TallySource): ChosenSql =>
  without !== undefined
    ? (alias, objects) => `${alias}.object_id <> all (${objects}::text[])`
    : (_alias, objects) => `${objects}::text[] is null`;

/** @param chosen the condition of objects */
const scoped = (chosen: string): string =>
  `c.customer_id = $1 and c.left_platform = $2 and c.right_platform = $3 and c.entity_type = any ($4::text[])
      and ($5::text is null or c.left_project_id = $5 or c.right_project_id = $5)
      and ${chosen}`;

/** A column of a side's amount, without records that belong to another project than the statement's. */
const ofScope = (side: 'left' | 'right', column: string): string =>
  `case when $5::text is null or c.${side}_project_id = $5 then c.${column} end`;

const linked = `c.state in ('agree', 'disagree')`;

// There are few pairs of currencies and many objects.
const currenciesIn = (comparisons: string, chosen: ChosenSql): string => `
  select distinct named.currency
  from (
    select ${ofScope('left', 'left_currency')} as left_currency, ${ofScope('right', 'right_currency')} as right_currency
    from ${comparisons} c where ${scoped(chosen('c', '$6'))} group by 1, 2
  ) pair
  cross join lateral (values (pair.left_currency), (pair.right_currency)) named (currency)
  where named.currency is not null order by 1`;

/**
 * SQL for the time from which the age of an open row counts: a date of its records, otherwise the time when it was first
 * seen.
 *
 * @param seen SQL for that time
 */
function agedAt(by: AgeBy, [date, due]: readonly [date: string, due: string], seen = 'c.opened_at'): string {
  const days = { seen: [], document: [date], due: [due, date] }[by];
  return `coalesce(${[...days.map((day) => `(${day}::timestamp at time zone 'UTC')`), seen].join(', ')})`;
}

/** Parameters of the acceptances: the time for which reviews count, and the day up to which documents count. */
interface AcceptedParameters {
  readonly time: string;
  readonly mark: string | undefined;
  readonly through: string | undefined;
  /** Whether there are few acceptances. */
  readonly areFew: boolean;
}

/** As many acceptances lead to their objects faster than all cases are read. */
const FEW_ACCEPTANCES = 5_000;

/** SQL for the objects with an accepted case, each once, and the parts of a row that are accepted; see `acceptedOf`. */
function marksSql({ time, mark, through, areFew }: AcceptedParameters): string {
  const listed =
    through === undefined
      ? 'k.listed_before is null'
      : `k.listed_before is null and (k.listed_from is null or k.listed_from <= ${through}::date)`;
  const cut = (platform: string): string =>
    `bool_or(c.is_accepted and c.listed_before is not null and c.platform = ${platform})`;
  const whole = 'c.is_accepted and c.listed_before is null';
  const ofAmounts = `c.field = 'amount' and c.left_platform <> c.right_platform`;
  const disagreement = `bool_or(${whole} and c.kind = 'disagreement' and ${ofAmounts})`;
  const project = (platform: string): string =>
    `bool_or(${whole} and c.kind = 'other_project' and c.platform = ${platform})`;
  const reviews = reviewsIn(time);
  const areLed = areFew && mark === undefined;
  const cases = mark === undefined ? casesIn('open') : casesAt(mark);
  const ofObject = `(select o.* from ${casesIn('open')} o where o.object_id = a.object_id offset 0)`;
  return `
    ${areLed ? `with ${acceptedObjects(reviews, time)}` : ''}
    select c.object_id, bool_and(c.is_accepted) filter (where c.is_listed) as is_whole,
      bool_or(${whole} and c.kind in ('only_on', 'ambiguous')) as is_apart,
      ${disagreement} as disagreement,
      coalesce(bool_or(c.is_accepted) filter (
        where c.listed_before is null and c.kind not in ('other_project', 'disagreement') and ${ofAmounts}), ${disagreement}) as amount,
      ${project('$2')} as project_left, ${project('$3')} as project_right, ${cut('$2')} as cut_left, ${cut('$3')} as cut_right
    from (
      select k.object_id, k.kind, k.field, k.platform, k.left_platform, k.right_platform, k.listed_before,
        ${listed} as is_listed, ${acceptedSql('k', time)} as is_accepted
      from ${areLed ? `accepted a cross join lateral ${ofObject}` : cases} k
      left join ${reviews} r on r.customer_id = $1 and r.case_id = k.id
      where k.customer_id = $1 and ((k.left_platform = $2 and k.right_platform = $3)
        or (k.left_platform = k.right_platform and k.left_platform in ($2, $3)))
    ) c group by c.object_id having bool_or(c.is_accepted)`;
}

// Reviews lead to the few objects of which a case is accepted, so that the cases of others are not read.
const acceptedObjects = (reviews: string, time: string): string => `
    accepted as materialized (
      select distinct k.object_id from (select r.* from ${reviews} r where r.accepted_at is not null offset 0) r
      cross join lateral (select o.* from ${casesIn('open')} o where o.id = r.case_id offset 0) k
      where ${acceptedSql('k', time)}
    )`;

/** SQL for the rows of a statement: for each object the records of the scope. */
function rowsIn(comparisons: string, chosen: string, by: AgeBy, hasMarks: boolean): string {
  const first = (column: string): string =>
    `coalesce(${ofScope('left', `left_${column}`)}, ${ofScope('right', `right_${column}`)})`;
  return `
    select c.entity_type, c.state, c.amounts, false as is_after,
      case when c.state <> 'agree' then ${agedAt(by, [first('date'), first('due')])} end as aged_at,
      ${ofScope('left', 'left_currency')} as left_currency, ${ofScope('left', 'left_amount')} as left_amount,
      ${ofScope('right', 'right_currency')} as right_currency, ${ofScope('right', 'right_amount')} as right_amount,
      case when $5::text is null or not ${linked} or c.left_project_id = c.right_project_id then 'both'
        when c.left_project_id = $5 then 'left' else 'right' end as part,
      ${
        hasMarks
          ? `coalesce(case when not ${linked} then m.is_apart
          when $5::text is null or c.left_project_id = c.right_project_id then m.amount
          when c.left_project_id = $5 then m.project_left else m.project_right end, false) as is_accepted,
      coalesce(m.disagreement, false) as is_disagreement_accepted,
      c.state <> 'agree' and coalesce(m.is_whole, false) as is_whole`
          : 'false as is_accepted, false as is_disagreement_accepted, false as is_whole'
      }
    from ${comparisons} c ${hasMarks ? marked : ''} where ${scoped(chosen)}`;
}

const marked = 'left join marks m on m.object_id = c.object_id';

/**
 * SQL for the objects whose linked records are dated on both sides of the cut-off day, with the time since which they
 * are; `ScopeBook` uses the same time.
 */
const cutsSql = (mark: string | undefined, through: string): string => `
    select k.object_id, k.opened_at from ${mark === undefined ? casesIn('open') : casesAt(mark)} k
    where k.customer_id = $1 and k.left_platform = $2 and k.right_platform = $3 and (k.listed_before is null) is false
      and k.listed_before > ${through}::date and (k.listed_from is null or k.listed_from <= ${through}::date)`;

/**
 * The same for documents up to a day: an object of which a record is dated later has a row for each record. Of linked
 * records the earlier one stands alone.
 */
function rowsThrough(
  comparisons: string,
  chosen: string,
  by: AgeBy,
  through: string,
  hasMarks: boolean,
): string {
  const isAfter = (side: 'left' | 'right'): string => `coalesce(c.${side}_date > ${through}::date, false)`;
  const split = `(${isAfter('left')} or ${isAfter('right')})`;
  const aloneAccepted = (side: 'left' | 'right'): string =>
    hasMarks ? `not ${isAfter(side)} and coalesce(m.cut_${side}, false)` : 'false';
  const alone = (side: 'left' | 'right'): string => `
    select c.entity_type, 'only_${side}', null, ${isAfter(side)},
      case when not ${isAfter(side)} then ${agedAt(by, [`c.${side}_date`, `c.${side}_due`], 'coalesce(d.opened_at, c.opened_at)')} end,
      ${(['left', 'right'] as const)
        .map((one) => (one === side ? `c.${one}_currency, c.${one}_amount` : 'null, null'))
        .join(', ')}, 'both', ${aloneAccepted(side)}, ${aloneAccepted(side)},
      ${hasMarks ? `${aloneAccepted(side)} and coalesce(m.is_whole, true)` : 'false'}
    from ${comparisons} c ${hasMarks ? marked : ''} left join cuts d on d.object_id = c.object_id
    where ${scoped(chosen)} and ${split} and c.state in ('agree', 'disagree', 'only_${side}', 'ambiguous_${side}')
      and ($5::text is null or c.${side}_project_id = $5)`;
  return `${rowsIn(comparisons, chosen, by, hasMarks)} and not ${split} union all ${alone('left')} union all ${alone('right')}`;
}

// `offset 0` prevents the planner from inlining the conversion, so that each amount is converted once.
const talliesOf = (rows: string, beside: Readonly<Record<'marks' | 'cuts', string | undefined>>): string => `
  with factors as materialized (select * from ${factorsSql(6)} f)${Object.entries(beside)
    .map(([name, relation]) => (relation === undefined ? '' : `, ${name} as materialized (${relation})`))
    .join('')}
  select entity_type, state, amounts, part, is_after,
    case when amounts <> 'no_rate' and left_minor is not null and right_minor is not null then is_disagreement_accepted
      else is_accepted end as is_accepted, left_currency, right_currency, left_minor is not null as left_converts,
    right_minor is not null as right_converts, count(*)::int as objects,
    count(*) filter (where left_minor is distinct from right_minor)::int as unequal,
    count(*) filter (where is_whole)::int as accepted,
    coalesce(sum(left_amount), 0)::text as left_own, coalesce(sum(right_amount), 0)::text as right_own,
    coalesce(sum(left_minor), 0)::text as left_sum, coalesce(sum(right_minor), 0)::text as right_sum,
    count(*) filter (where aged_at > $10::timestamptz)::int as age_0,
    count(*) filter (where aged_at <= $10::timestamptz and aged_at > $11::timestamptz)::int as age_1,
    count(*) filter (where aged_at <= $11::timestamptz and aged_at > $12::timestamptz)::int as age_2,
    count(*) filter (where aged_at <= $12::timestamptz)::int as age_3
  from (
    select counted.*, case when abs(left_exact) <= ${MOST} then left_exact end as left_minor,
      case when abs(right_exact) <= ${MOST} then right_exact end as right_minor
    from (
      select c.entity_type, c.state, c.amounts, c.part, c.is_after, c.is_accepted, c.is_disagreement_accepted, c.is_whole, c.left_currency, c.right_currency, c.left_amount,
        c.right_amount, c.aged_at, ${convertedSql('c.left_amount', 'lf')} as left_exact,
        ${convertedSql('c.right_amount', 'rf')} as right_exact
      from (${rows}) c
      left join factors lf on lf.currency = c.left_currency
      left join factors rf on rf.currency = c.right_currency
      offset 0
    ) counted
  ) converted
  group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10`;

interface TallyRow {
  readonly entity_type: StoredEntityType;
  readonly state: State;
  readonly amounts: AmountComparison | null;
  readonly part: Part;
  readonly is_after: boolean;
  readonly is_accepted: boolean;
  readonly left_currency: string | null;
  readonly right_currency: string | null;
  readonly left_converts: boolean;
  readonly right_converts: boolean;
  readonly objects: number;
  readonly unequal: number;
  readonly accepted: number;
  readonly left_own: string;
  readonly right_own: string;
  readonly left_sum: string;
  readonly right_sum: string;
  readonly age_0: number;
  readonly age_1: number;
  readonly age_2: number;
  readonly age_3: number;
}

/** The tallies of the stored comparisons, and the currencies of their amounts. */
export interface ScopeTallies {
  readonly tallies: readonly Tally[];
  readonly currencies: readonly string[];
}

/**
 * Adds up the stored comparisons of a scope in the database.
 *
 * @param tx of one snapshot
 * @param time the moment from which ages are computed and whose reviews count, in UTC with microseconds
 * @param source all present comparisons unless given
 */
export async function readTallies(
  tx: CustomerTransaction,
  { left, right, types, projectId, currency, through, ageBy }: StatementScope,
  rates: readonly RateQuote[],
  time: string,
  source: TallySource = {},
): Promise<ScopeTallies> {
  const { mark: refreshed, without } = source;
  const comparisonsIn = (mark: number): string =>
    refreshed === undefined ? 'comparisons' : comparisonsAt(`$${mark}`);
  const chosen = chosenBy(source);
  const scope = [left, right, types, projectId ?? null];
  const objects = [without ?? null, ...(refreshed === undefined ? [] : [refreshed])];
  const found = await tx.query<{ currency: string }>(currenciesIn(comparisonsIn(7), chosen), [
    ...scope,
    ...objects,
  ]);
  const currencies = found.map((row) => row.currency);
  const comparisons = comparisonsIn(14);
  const parameters: unknown[] = [
    ...scope,
    ...factorParameters(currency, currencies, rates),
    ...ageLimits.map((days) => new Date(Date.parse(time) - (days + 1) * DAY_MS).toISOString()),
    ...objects,
  ];
  const add = (value: string): string => `$${parameters.push(value) + 1}`;
  const day = through === undefined ? undefined : add(through);
  const acceptances = await countReviews(tx, time, FEW_ACCEPTANCES + 1);
  const hasMarks = acceptances > 0;
  const mark = refreshed === undefined ? undefined : '$14';
  const marks = hasMarks
    ? marksSql({
        time: add(time),
        mark,
        through: day,
        areFew: acceptances <= FEW_ACCEPTANCES,
      })
    : undefined;
  const rowsOf = chosen('c', '$13');
  const sql =
    day === undefined
      ? rowsIn(comparisons, rowsOf, ageBy, hasMarks)
      : rowsThrough(comparisons, rowsOf, ageBy, day, hasMarks);
  const cuts = day === undefined ? undefined : cutsSql(mark, day);
  const rows = await tx.query<TallyRow>(talliesOf(sql, { marks, cuts }), parameters);
  return { tallies: rows.map(tallyFrom), currencies };
}

function tallyFrom(row: TallyRow): Tally {
  const { state, part, is_after: isAfter, objects, unequal } = row;
  const side = (name: 'left' | 'right', isThere: boolean): TallySide => ({
    currency: row[`${name}_currency`],
    converts: row[`${name}_converts`],
    records: isThere ? objects : 0,
    own: BigInt(row[`${name}_own`]),
    converted: BigInt(row[`${name}_sum`]),
  });
  return {
    entityType: row.entity_type,
    state,
    amounts: row.amounts ?? undefined,
    part,
    isAfter,
    isAccepted: row.is_accepted,
    left: side('left', isOnLeft(state) && part !== 'right'),
    right: side('right', isOnRight(state) && part !== 'left'),
    objects,
    unequal,
    accepted: row.accepted,
    ages: [row.age_0, row.age_1, row.age_2, row.age_3],
  };
}
