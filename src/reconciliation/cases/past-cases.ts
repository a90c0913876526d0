import type { CustomerTransaction } from '../../database/transaction/store';
import { Inject, Injectable } from '@nestjs/common';
import { storedEntityTypes, stringifyJson } from '@app/mapper';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import { agedFrom, ageGroupOf, ageGroups, openedBetween, type AgeBy } from '../statement/figures/ages';
import {
  CASE_BYTES,
  compareKeys,
  countCases,
  keysOf,
  MOST_VALUES,
  readCases,
  type CaseCount,
  type CaseFilter,
  type CasePosition,
  type CaseRow,
  type ListedCaseRow,
} from './cases.repository';
import { converterInto } from '../statement/figures/conversion';
import { PastComparisons } from '../comparisons/past/past-comparisons';
import type { ComparedResult, DatedCase } from '../comparisons/compared-rows';
import { currencyOfCases } from '../comparisons/comparison-context.repository';
import { readReviews, reviewMarks, type ReviewMark } from '../reviews/case-reviews.repository';
import { isAccepted, type Review } from '../reviews/review';
import type { CaseState } from './case-parts';
import type { CaseSort } from '../statement/statement.dto';

/** Some cases of a time, in order. */
export interface PastCasesPage {
  /** The cases that fit, followed by others without their details. */
  readonly rows: readonly ListedCaseRow[];
  /** The numbers of all cases by filter value; undefined unless requested. */
  readonly counts: readonly CaseCount[] | undefined;
  /** Reviews of the rows with details, at that time. */
  readonly reviews: ReadonlyMap<string, Review>;
  /** Of differences. */
  readonly currency: string;
}

/** A query of the cases at a time. */
export interface PastCasesQuery {
  /** The filter at that time: the canonical ID of a project may have named another project. */
  readonly filterAt: (tx: CustomerTransaction) => Promise<CaseFilter>;
  readonly sort: CaseSort;
  readonly after: CasePosition | undefined;
  readonly limit: number;
  readonly counted: boolean;
}

/**
 * Cases at a time in the past. No state is kept between pages. Each page combines the stored cases of unchanged objects
 * with a new comparison of the past records of all other objects.
 */
@Injectable()
export class PastCases {
  constructor(
    private readonly comparisons: PastComparisons,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'defaultCurrency'>,
  ) {}

  /**
   * @param time in UTC, with microseconds; ages are computed from it
   * @param gone ends the work when the client disconnects
   * @throws ApiError as {@link PastComparisons.begin} and {@link PastComparisons.compared} do; NOT_FOUND for a project
   *   that did not exist then
   */
  async page(
    customerId: string,
    time: string,
    { filterAt, sort, after, limit, counted }: PastCasesQuery,
    gone?: AbortSignal,
  ): Promise<PastCasesPage> {
    const asOf = Date.parse(time);
    const { past, found } = await this.comparisons.begin(
      customerId,
      time,
      async (tx, { kept }) => {
        const filter = await filterAt(tx);
        const marks = await reviewMarks(tx, time);
        if (kept === undefined) return { filter, marks, rows: [], counts: [] };
        const page = { asOf, sort, after, limit };
        const rows = await readCases(tx, filter, page, { kept, time });
        const counts = counted ? await countCases(tx, filter, asOf, { kept, time }) : [];
        return { filter, marks, rows, counts };
      },
      gone,
    );
    const { filter, marks } = found;
    const currency = currencyOfCases(past.known.currencies, this.environment.defaultCurrency);
    const first = new FirstCases(sort, after, limit);
    first.add(found.rows);
    const counts = new CaseCounts(found.counts, asOf);
    const types = filter.entityType === undefined ? storedEntityTypes : [filter.entityType];
    const convert = converterInto(currency, past.known.rates);
    for await (const result of this.comparisons.compared(customerId, past, types, convert, gone)) {
      const rows = rowsOf(result, filter.ageBy, marks, time).filter((row) => isWanted(row, filter, asOf));
      first.add(rows);
      if (counted) counts.add(rows);
    }
    const { rows } = first;
    const ids = rows.filter(({ detail }) => detail !== null).map(({ id }) => id);
    const reviews = await this.comparisons.read(customerId, time, (tx) => readReviews(tx, ids, time));
    return { rows, counts: counted ? counts.all : undefined, reviews, currency };
  }
}

type PastRow = CaseRow & {
  readonly left_currency: string | null;
  readonly right_currency: string | null;
  readonly listed_from: string | null;
  readonly listed_before: string | null;
  readonly owner: string | null;
  readonly state: Extract<CaseState, 'open' | 'accepted'>;
};

/** The cases of an object as they would be stored. */
function rowsOf(
  { object, cases }: ComparedResult,
  by: AgeBy,
  marks: ReadonlyMap<string, ReviewMark>,
  time: string,
): readonly PastRow[] {
  return cases.map((one: DatedCase) => ({
    owner: marks.get(one.id)?.owner ?? null,
    state: isAccepted(marks.get(one.id), one.valuesDigest, time) ? 'accepted' : 'open',
    values_digest: one.valuesDigest,
    id: one.id,
    object_id: object.id,
    kind: one.kind,
    entity_type: object.entityType,
    left_platform: one.left,
    right_platform: one.right,
    platform: one.platform,
    platform_id: one.platformId,
    field: one.field,
    project_id: one.projectId,
    left_currency: one.leftCurrency,
    right_currency: one.rightCurrency,
    difference: one.difference === null ? null : String(one.difference),
    weight: weightOf(one.difference),
    opened: String(one.openedAt),
    aged: agedOf(one, by),
    document_date: one.documentDate,
    due_date: one.dueDate,
    listed_from: one.listedFrom,
    listed_before: one.listedBefore,
    closed_at: null,
    closed_by: null,
    closed_by_id: null,
    detail: stringifyJson(one.detail),
  }));
}

/** From when the age of a case counts, in microseconds. */
function agedOf({ openedAt, documentDate: date, dueDate: due }: DatedCase, by: AgeBy): string {
  // A day is a whole number of milliseconds.
  const from = agedFrom(by, openedAt / 1000, { date, due });
  return from === openedAt / 1000 ? String(openedAt) : String(BigInt(from) * 1000n);
}

function weightOf(difference: bigint | null): string {
  if (difference === null) return '-1';
  return String(difference < 0n ? -difference : difference);
}

/** Whether a case passes a filter, equal to the database's filter for stored cases. */
function isWanted(row: PastRow, filter: CaseFilter, asOf: number): boolean {
  const { left, right, kind, entityType, projectId, field, currency, age, through, state, owner } = filter;
  const sides = [row.left_platform, row.right_platform];
  const concerns =
    row.left_platform === row.right_platform
      ? sides.includes(left) || sides.includes(right)
      : row.left_platform === left && row.right_platform === right;
  const between = age && openedBetween(age, asOf);
  const aged = Number(row.aged);
  return (
    concerns &&
    (through === undefined
      ? row.listed_before === null
      : (row.listed_from === null || row.listed_from <= through) &&
        (row.listed_before === null || row.listed_before > through)) &&
    (kind === undefined || row.kind === kind) &&
    (entityType === undefined || row.entity_type === entityType) &&
    (projectId === undefined || row.project_id === projectId) &&
    (field === undefined || row.field === field) &&
    (state === 'all' || row.state === state) &&
    (owner === undefined || row.owner === owner) &&
    (currency === undefined || row.left_currency === currency || row.right_currency === currency) &&
    (between?.after === undefined || aged > between.after * 1000) &&
    (between?.until === undefined || aged <= between.until * 1000)
  );
}

/** The first cases after a position, of any number of added ones, with the details of those that fit into a page. */
class FirstCases {
  private kept: readonly ListedCaseRow[] = [];
  /** Characters of details that were added since the last measurement. */
  private added = 0;

  constructor(
    private readonly sort: CaseSort,
    private readonly after: CasePosition | undefined,
    private readonly limit: number,
  ) {}

  add(rows: readonly ListedCaseRow[]): void {
    const { sort, after } = this;
    const place = after && { key: after[1], aged: after[2], id: after[3] };
    const behind = rows.filter(
      (row) => place === undefined || compareKeys(sort, keysOf(row, sort), place) > 0,
    );
    this.kept = [...this.kept, ...behind];
    for (const { detail } of behind) this.added += detail?.length ?? 0;
    if (this.kept.length <= 2 * this.limit && this.added <= CASE_BYTES) return;
    this.kept = this.rows;
    this.added = 0;
  }

  /** After the first case without its detail, no case has one. */
  get rows(): readonly ListedCaseRow[] {
    const { sort } = this;
    const first = this.kept
      .toSorted((one, other) => compareKeys(sort, keysOf(one, sort), keysOf(other, sort)))
      .slice(0, this.limit);
    let bytes = 0;
    let fits = true;
    return first.map((row, place) => {
      bytes += row.detail === null ? 0 : Buffer.byteLength(row.detail);
      fits &&= row.detail !== null && (place === 0 || bytes <= CASE_BYTES);
      return fits ? row : { ...row, detail: null };
    });
  }
}

/** Counts of cases by facet and value. */
class CaseCounts {
  private readonly facets = new Map<string, Map<string, number>>();

  constructor(
    stored: readonly CaseCount[],
    private readonly asOf: number,
  ) {
    for (const { facet, value, count } of stored) this.count(facet, value, count);
  }

  add(rows: readonly PastRow[]): void {
    for (const row of rows) {
      this.count('kind', row.kind);
      this.count('entity_type', row.entity_type);
      if (row.field !== null) this.count('field', row.field);
      if (row.project_id !== null) this.count('project_id', row.project_id);
      this.count('age', ageGroups[ageGroupOf(Number(row.aged) / 1000, this.asOf)]);
      this.count('state', row.state);
      if (row.owner !== null) this.count('owner', row.owner);
      this.count('total', 'total');
    }
  }

  get all(): readonly CaseCount[] {
    return [...this.facets].flatMap(([facet, values]) =>
      [...values]
        .map(([value, count]) => ({ facet, value, count }))
        .toSorted((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
        .slice(0, MOST_VALUES),
    );
  }

  private count(facet: string, value: string, count = 1): void {
    const values = this.facets.get(facet) ?? new Map<string, number>();
    this.facets.set(facet, values.set(value, (values.get(value) ?? 0) + count));
  }
}
