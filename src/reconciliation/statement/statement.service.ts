import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../runtime/config/environment';
import type { CustomerTransaction } from '../../database/transaction/store';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { workAttributes } from '../../runtime/tracing/logged-work';
import type { RequestContext } from '../../runtime/tracing/request-context';
import { Spans } from '../../runtime/tracing/spans';
import { CustomerTimes } from '../../common/paging/customer-times';
import { Freshness } from '../freshness/freshness';
import { PastStatements } from './past-statements';
import { atPresent, booksOf } from './present-moment';
import { projectNamed } from './projects.repository';
import type { ComparisonContext } from '../comparisons/stored/comparison-context.repository';
import type { StatementResponse } from './statement.response';
import type { StatementQuery } from './statement.dto';
import { statementFrom, type StatementBooks } from './statement-record';
import { scopeOf } from './statement-scope';
import { readTallies, type StatementScope } from './figures/tallies.repository';
import { deletedCounts } from './figures/deleted-counts.repository';

/** Computes statements: the comparison of two platforms' books. */
@Injectable()
export class StatementService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly freshness: Freshness,
    private readonly past: PastStatements,
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
    return atPresent(this.unitOfWork, customerId, async (tx, moment) => {
      const { asOf, known } = moment;
      const scope = this.scopeOf(query, known, await projectNamed(tx, query.project_id));
      const tallies = await readTallies(tx, scope, known.rates, asOf);
      return booksOf(moment, scope, tallies, await deletedCounts(tx, scope));
    });
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

  private scopeOf(
    query: StatementQuery,
    known: ComparisonContext,
    projectId: string | undefined,
  ): StatementScope {
    return scopeOf(query, known, projectId, this.environment.defaultCurrency);
  }
}
