import { Inject, Injectable } from '@nestjs/common';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { isLockFailure } from '../../database/connection/database-errors';
import type { CustomerTransaction } from '../../database/transaction/store';
import { ONE_SNAPSHOT, UnitOfWork } from '../../database/transaction/unit-of-work';
import { endsWithin } from '../../runtime/clock/ends-within';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { logOf } from '../../runtime/tracing/logged-work';
import type { IncompleteReason } from './completeness';
import { ComparisonRefresher } from './refresher';
import { isUpToDate, progressOf } from '../comparisons/stored/comparison-states.repository';
import {
  comparisonContext,
  type ComparisonContext,
} from '../comparisons/stored/comparison-context.repository';
import { StatementTimes } from './statement-times';

/** Updates the stored comparisons before a response, as far as the response can wait. */
@Injectable()
export class Freshness {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly refresher: ComparisonRefresher,
    private readonly times: StatementTimes,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Waits until the comparisons include everything that was committed before, or as long as a response can wait.
   * Unfinished work continues.
   *
   * @param waitLimitMs milliseconds; infinite for a caller without a time limit
   */
  async follow(customerId: string, waitLimitMs: number = this.times.wait): Promise<void> {
    const until = performance.now() + waitLimitMs;
    while (!(await this.isFresh(customerId))) {
      const left = until - performance.now();
      if (left <= 0) return;
      const work = this.refresher
        .refresh(customerId)
        .catch((error: unknown) => this.failed(customerId, error));
      if (await endsWithin(work, left)) await work;
    }
  }

  private isFresh(customerId: string): Promise<boolean> {
    return this.unitOfWork.runFor(
      customerId,
      async (tx) => (await comparingReason(tx, await comparisonContext(tx))) === undefined,
      ONE_SNAPSHOT,
    );
  }

  private failed(customerId: string, error: unknown): void {
    // Concurrent changes did not let go of the lock. The next attempt follows while there is time.
    if (isLockFailure(error)) return;
    if (error instanceof CustomerDeleted) throw error;
    logOf(this.logger, { customerId }).warn(
      { context: 'Statement', err: error },
      'Comparisons could not be refreshed',
    );
    throw error;
  }
}

/** Why the comparisons do not include all stored changes, in the snapshot of a statement; undefined if they do. */
export async function comparingReason(
  tx: CustomerTransaction,
  { fingerprint }: ComparisonContext,
): Promise<IncompleteReason | undefined> {
  const progress = await progressOf(tx);
  if (isUpToDate(progress, fingerprint)) return undefined;
  const isFirst = progress === undefined || progress.walked !== null || progress.fingerprint !== fingerprint;
  return {
    reason: 'comparing',
    platform: null,
    detail: isFirst
      ? 'all records are being compared; ask again in a while'
      : 'changes of a moment ago are being taken in; ask again',
  };
}
