import { Inject, Injectable } from '@nestjs/common';
import { platformNames, storedEntityTypes, type PlatformName } from '@app/mapper';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { CustomerTimes } from '../../common/paging/customer-times';
import { settledTime } from '../../records/changes/settled-time.repository';
import { lastRuns } from '../../sync/run/run-history.repository';
import { gapsOf } from './freshness/completeness';
import { figuresOf } from './figures/figures';
import { comparingReason, Freshness } from './freshness/freshness';
import { PastStatements } from './past-statements';
import { projectNamed } from './projects.repository';
import {
  comparisonContext,
  usualCurrency,
  type ComparisonContext,
} from '../comparisons/comparison-context.repository';
import type { StatementResponse } from './statement.response';
import { platformPairIn, type StatementQuery } from './statement.dto';
import { statementFrom } from './statement-record';
import { readTallies, type StatementScope } from './figures/tallies.repository';
import { latestShown } from '../comparisons/comparison-states.repository';
import { deletedCounts } from './figures/deleted-counts.repository';

/** Computes statements: the comparison of two platforms' books. */
@Injectable()
export class StatementService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly freshness: Freshness,
    private readonly past: PastStatements,
    private readonly times: CustomerTimes,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'defaultCurrency'>,
  ) {}

  /**
   * The present statement from one snapshot, or a statement of a time in the past.
   *
   * @param gone ends long work when the client disconnects
   * @throws ApiError NOT_FOUND if the project does not exist; VALIDATION_ERROR for a future time;
   *   EXTERNAL_SERVICE_ERROR for a past time that takes too long
   */
  async statement(customerId: string, query: StatementQuery, gone: AbortSignal): Promise<StatementResponse> {
    const time = query.as_of === undefined ? undefined : await this.times.last(customerId, query.as_of);
    if (time !== undefined) {
      const scopeAt = (tx: CustomerTransaction, known: ComparisonContext) =>
        this.scopeOf(tx, query, known, time);
      return this.past.statement(customerId, time, scopeAt, gone);
    }
    await this.freshness.follow(customerId);
    const settled = await this.unitOfWork.runFor(customerId, (tx) => settledTime(tx), {
      readOnly: true,
    });
    return this.unitOfWork.runFor(customerId, (tx) => this.present(tx, query, settled), {
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
  ): Promise<StatementResponse> {
    const known = await comparisonContext(tx);
    const scope = await this.scopeOf(tx, query, known);
    const comparing = await comparingReason(tx, known);
    const asOf = comparing === undefined ? await latestShown(tx, settled) : settled;
    const gaps = gapsOf([scope.left, scope.right], new Set(known.currencies.keys()), await lastRuns(tx));
    const { tallies, currencies } = await readTallies(tx, scope, known.rates, asOf);
    return statementFrom({
      asOf,
      scope,
      figures: figuresOf(tallies, scope.types),
      deleted: await deletedCounts(tx, scope),
      currencies,
      rates: known.rates,
      reasons: comparing === undefined ? gaps : [...gaps, comparing],
    });
  }

  private async scopeOf(
    tx: CustomerTransaction,
    query: StatementQuery,
    { currencies }: ComparisonContext,
    time?: string,
  ): Promise<StatementScope> {
    const [left, right] = pairOf(query.platforms);
    return {
      left,
      right,
      types: query.entity_type === undefined ? storedEntityTypes : [query.entity_type],
      projectId: await projectNamed(tx, query.project_id, time),
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
