import { Inject, Injectable } from '@nestjs/common';
import { platformNames, storedEntityTypes, type PlatformName } from '@app/mapper';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { workAttributes } from '../../runtime/tracing/logged-work';
import type { RequestContext } from '../../runtime/tracing/request-context';
import { Spans } from '../../runtime/tracing/spans';
import { CustomerTimes } from '../../common/paging/customer-times';
import { settledTime } from '../../records/changes/settled-time.repository';
import { lastRuns } from '../../sync/run/run-history.repository';
import { gapsOf } from './freshness/completeness';
import { figuresOf } from './figures/figures';
import { comparingReason, Freshness } from './freshness/freshness';
import { KeptTallies, type ShownComparisons } from './kept-tallies';
import type { KeptState } from './kept-tallies.repository';
import { PastStatements } from './past-statements';
import { projectNamed } from './projects.repository';
import {
  comparisonContext,
  usualCurrency,
  type ComparisonContext,
} from '../comparisons/comparison-context.repository';
import type { StatementResponse } from './statement.response';
import { platformPairIn, type StatementQuery } from './statement.dto';
import { statementFrom, type StatementBooks } from './statement-record';
import { readTallies, type ScopeTallies, type StatementScope } from './figures/tallies.repository';
import { latestShown } from '../comparisons/comparison-states.repository';
import { deletedCounts } from './figures/deleted-counts.repository';

/** Finds the canonical ID of a project that a query names. */
type ProjectLookup = (tx: CustomerTransaction, id: string | undefined) => Promise<string | undefined>;

/** Adds up a scope in the snapshot of its books. */
type TallyReader = (
  tx: CustomerTransaction,
  scope: StatementScope,
  shown: ShownComparisons,
) => Promise<ScopeTallies>;

/** Computes statements: the comparison of two platforms' books. */
@Injectable()
export class StatementService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly freshness: Freshness,
    private readonly past: PastStatements,
    private readonly kept: KeptTallies,
    private readonly times: CustomerTimes,
    private readonly spans: Spans,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'defaultCurrency'>,
  ) {}

  /**
   * The present statement from one snapshot, or a statement of a time in the past.
   *
   * @param cause the request that asks for it
   * @param gone ends long work when the client disconnects
   * @throws ApiError NOT_FOUND if the project does not exist; VALIDATION_ERROR for a future time;
   *   EXTERNAL_SERVICE_ERROR for a past time that takes too long
   */
  statement(
    customerId: string,
    query: StatementQuery,
    cause: RequestContext,
    gone: AbortSignal,
  ): Promise<StatementResponse> {
    const attributes = {
      ...workAttributes({ customerId, cause }),
      'translation.past': query.as_of !== undefined,
    };
    return this.spans.around(
      { name: 'statement', kind: 'internal', attributes },
      cause.trace,
      async (span) => {
        const statement = statementFrom(await this.books(customerId, query, gone));
        span.set({ 'translation.complete': statement.complete });
        return statement;
      },
    );
  }

  private async books(customerId: string, query: StatementQuery, gone: AbortSignal): Promise<StatementBooks> {
    if (query.as_of !== undefined) {
      const time = await this.times.last(customerId, query.as_of);
      return this.pastBooks(customerId, query, time, gone);
    }
    await this.follow(customerId);
    const talliesOf: TallyReader = (tx, scope, { asOf, known }) => readTallies(tx, scope, known.rates, asOf);
    return this.presentBooks(customerId, query, projectNamed, talliesOf);
  }

  /**
   * The books of a time in the past.
   *
   * @param time in UTC, with microseconds
   * @param gone ends long work when the client disconnects
   * @throws ApiError as {@link statement} does
   */
  pastBooks(
    customerId: string,
    query: StatementQuery,
    time: string,
    gone: AbortSignal,
  ): Promise<StatementBooks> {
    const scopeAt = async (tx: CustomerTransaction, known: ComparisonContext) =>
      this.scopeOf(query, known, await projectNamed(tx, query.project_id, time));
    return this.past.books(customerId, time, scopeAt, gone);
  }

  /** Waits until the comparisons include everything that was committed before, or as long as a response can wait. */
  follow(customerId: string): Promise<void> {
    return this.freshness.follow(customerId);
  }

  /**
   * The present books of a scope that is read again and again, without ages: what is read is kept, so that the next time takes time
   * in proportion to what has changed since.
   *
   * @param projectOf finds the project of the query
   * @throws whatever `projectOf` throws
   */
  async recurringBooks(
    customerId: string,
    query: StatementQuery,
    projectOf: ProjectLookup,
  ): Promise<StatementBooks> {
    let unkept: KeptState | undefined;
    const books = await this.presentBooks(customerId, query, projectOf, async (tx, scope, shown) => {
      const read = await this.kept.read(tx, scope, shown);
      ({ unkept } = read);
      return read;
    });
    if (unkept !== undefined) await this.kept.keep(customerId, unkept);
    return books;
  }

  /** The books as the stored comparisons have them, from one snapshot. */
  private async presentBooks(
    customerId: string,
    query: StatementQuery,
    projectOf: ProjectLookup,
    talliesOf: TallyReader,
  ): Promise<StatementBooks> {
    const settled = await this.unitOfWork.runFor(customerId, (tx) => settledTime(tx), {
      readOnly: true,
    });
    const present = (tx: CustomerTransaction): Promise<StatementBooks> =>
      this.present(tx, query, settled, projectOf, talliesOf);
    return this.unitOfWork.runFor(customerId, present, {
      deadlines: 'bulk',
      readOnly: true,
      isolation: 'REPEATABLE READ',
    });
  }

  /** @param settled a time that was settled before the snapshot */
  private async present(
    tx: CustomerTransaction,
    query: StatementQuery,
    settled: string,
    projectOf: ProjectLookup,
    talliesOf: TallyReader,
  ): Promise<StatementBooks> {
    const known = await comparisonContext(tx);
    const scope = this.scopeOf(query, known, await projectOf(tx, query.project_id));
    const comparing = await comparingReason(tx, known);
    const asOf = comparing === undefined ? await latestShown(tx, settled) : settled;
    const gaps = gapsOf([scope.left, scope.right], new Set(known.currencies.keys()), await lastRuns(tx));
    const { tallies, currencies } = await talliesOf(tx, scope, {
      asOf,
      known,
      hasFollowed: comparing === undefined,
    });
    return {
      asOf,
      scope,
      tallies,
      figures: figuresOf(tallies, scope.types),
      deleted: await deletedCounts(tx, scope),
      currencies,
      rates: known.rates,
      reasons: comparing === undefined ? gaps : [...gaps, comparing],
    };
  }

  private scopeOf(
    query: StatementQuery,
    { currencies }: ComparisonContext,
    projectId: string | undefined,
  ): StatementScope {
    const [left, right] = pairOf(query.platforms);
    return {
      left,
      right,
      types: query.entity_type === undefined ? storedEntityTypes : [query.entity_type],
      projectId,
      currency: query.currency ?? usualCurrency(currencies, [left, right], this.environment.defaultCurrency),
      through: query.through,
      ageBy: query.age_by ?? 'seen',
    };
  }
}

/** The platforms of a query; by default the first two. */
export function pairOf(platforms: string | undefined): readonly [PlatformName, PlatformName] {
  const pair = platformPairIn(platforms ?? platformNames.slice(0, 2).join(','));
  if (pair === undefined) throw new Error('There are no two platforms');
  return pair;
}
