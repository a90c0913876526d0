import { Inject, Injectable } from '@nestjs/common';
import { storedEntityTypes } from '@app/mapper';
import { ENVIRONMENT, type Environment } from '../../../runtime/config/environment';
import type { CustomerTransaction } from '../../../database/transaction/store';
import type { ComparedResult } from '../../comparisons/compared-rows';
import { PastComparisons } from '../../past/past-comparisons';
import { lastMarkOf } from '../../comparisons/stored/comparison-marks.repository';
import {
  caseConverter,
  type ComparisonContext,
} from '../../comparisons/stored/comparison-context.repository';
import { reviewMarks } from '../../annotations/case-reviews.repository';
import type { CaseSort } from '../../statement/statement.dto';
import { CaseCounts } from './case-counts';
import type { CasePosition } from './case-order';
import { hasClosed, type CaseFilter, type CaseSource, type ClosedBetween } from './case-relation';
import type { ListedCaseRow } from './case-row';
import { countCases, readCases, type CaseCount } from './cases.repository';
import { FirstCases } from './first-cases';
import { isWanted, pastRowsOf } from './past-rows';

/** Some cases of a time, in order. */
export interface PastCasesPage<Shown> {
  /** The cases that fit, followed by others without their details. */
  readonly rows: readonly ListedCaseRow[];
  /** The numbers of all cases by filter value; undefined unless requested. */
  readonly counts: readonly CaseCount[] | undefined;
  /** The rows in the form that the caller requested. */
  readonly shown: Shown;
  /** See {@link PastCasesQuery.refreshed}. */
  readonly refreshed: string | undefined;
}

/** A query of the cases at a time. */
export interface PastCasesQuery {
  /** The filter at that time: the canonical ID of a project may have named another project. */
  readonly filterAt: (tx: CustomerTransaction) => Promise<CaseFilter>;
  readonly sort: CaseSort;
  readonly after: CasePosition | undefined;
  readonly limit: number;
  readonly counted: boolean;
  readonly between: ClosedBetween;
  /**
   * The mark of the last refresh whose closed cases count, by default the present one. All pages of one list use the
   * same mark, so cases that a later refresh closes are on none of them.
   */
  readonly refreshed?: string | undefined;
}

/** Objects whose reviews are read at once, while their cases are in memory. */
const COMPARED_AT_ONCE = 100;

/**
 * Cases at a time in the past. No state is kept between pages. Each page combines the stored cases of unchanged objects
 * with a new comparison of the past records of all other objects, and with the cases that were closed by then.
 */
@Injectable()
export class PastCases {
  constructor(
    private readonly comparisons: PastComparisons,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'defaultCurrency'>,
  ) {}

  /**
   * @param time in UTC, with microseconds; ages are computed from it
   * @param show makes something of the rows, in a snapshot whose history reaches back to the time
   * @param gone ends the work when the client disconnects
   * @throws ApiError as {@link PastComparisons.begin} and {@link PastComparisons.compared} do; NOT_FOUND for a project
   *   that did not exist then
   */
  async page<Shown>(
    customerId: string,
    time: string,
    { filterAt, sort, after, limit, counted, between, refreshed: upTo }: PastCasesQuery,
    show: (
      tx: CustomerTransaction,
      rows: readonly ListedCaseRow[],
      known: ComparisonContext,
    ) => Promise<Shown>,
    gone?: AbortSignal,
  ): Promise<PastCasesPage<Shown>> {
    const asOf = Date.parse(time);
    const first = new FirstCases(sort, after, limit);
    const counts = new CaseCounts(asOf);
    const read = async (tx: CustomerTransaction, filter: CaseFilter, source: CaseSource) => ({
      rows: await readCases(tx, filter, { asOf, sort, after, limit }, source),
      counts: counted ? await countCases(tx, filter, asOf, source) : [],
    });
    const add = (stored: Awaited<ReturnType<typeof read>> | undefined): void => {
      first.add(stored?.rows ?? []);
      counts.count(stored?.counts ?? []);
    };
    const { past, found } = await this.comparisons.begin(
      customerId,
      time,
      async (tx, { kept }) => {
        const filter = await filterAt(tx);
        const refreshed = upTo ?? (await lastMarkOf(tx));
        const isOpen = kept !== undefined && filter.state !== 'closed';
        const stored = isOpen ? await read(tx, filter, { of: 'open_then', time, kept }) : undefined;
        return { filter, refreshed, stored };
      },
      gone,
    );
    const { known, kept } = past;
    const { filter, refreshed } = found;
    const types = filter.entityType === undefined ? storedEntityTypes : [filter.entityType];
    const convert = caseConverter(known, this.environment.defaultCurrency);
    add(found.stored);
    const open: string[] = [];
    // The reviews of the cases that are compared anew are read for many cases at once. Those of stored cases are joined.
    const addCompared = async (results: readonly ComparedResult[]): Promise<void> => {
      const ids = results.flatMap(({ cases }) => cases.map(({ id }) => id));
      open.push(...ids);
      const marks = await this.comparisons.read(customerId, time, (tx) => reviewMarks(tx, time, ids));
      const rows = results
        .flatMap((result) => pastRowsOf(result, filter.ageBy, marks, time))
        .filter((row) => isWanted(row, filter, asOf));
      first.add(rows);
      if (counted) counts.add(rows);
    };
    let results: ComparedResult[] = [];
    for await (const result of this.comparisons.compared(customerId, past, types, convert, gone)) {
      results.push(result);
      if (results.length < COMPARED_AT_ONCE) continue;
      await addCompared(results);
      results = [];
    }
    if (results.length > 0) await addCompared(results);
    if (hasClosed(filter.state) && refreshed !== undefined) {
      const source = { of: 'closed_then', time, between, refreshed, kept, open } as const;
      add(await this.comparisons.read(customerId, time, (tx) => read(tx, filter, source)));
    }
    const { rows } = first;
    const shown = await this.comparisons.read(customerId, time, (tx) => show(tx, rows, known));
    return { rows, counts: counted ? counts.all : undefined, shown, refreshed };
  }
}
