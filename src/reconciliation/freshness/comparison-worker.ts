import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { isLockFailure } from '../../database/connection/database-errors';
import { ONE_SNAPSHOT, UnitOfWork } from '../../database/transaction/unit-of-work';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { Metrics } from '../../runtime/metrics/metrics';
import type { Found } from '../../runtime/background/work';
import type { Worker } from '../../runtime/background/worker';
import { Workers } from '../../runtime/background/workers';
import { logOf } from '../../runtime/tracing/logged-work';
import { StatementTimes } from './statement-times';
import {
  comparedCustomers,
  dueCustomers,
  lagOfComparisons,
  noteBehind,
  postpone,
} from '../../records/changes/due-comparisons.repository';
import { ComparisonRefresher } from './refresher';
import { isUpToDate, progressOf } from '../comparisons/stored/comparison-states.repository';
import { comparisonContext } from '../comparisons/stored/comparison-context.repository';

/**
 * Customers that one instance refreshes concurrently. With more than one, a small customer need not wait for a large
 * one.
 */
const MOST_AT_ONCE = 2;

/** Maximum number of customers that one search finds. All are processed before the next search. */
const PAGE = 100;

const FAILURE = 'Comparisons could not be refreshed';

interface DueCustomer {
  readonly customerId: string;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Refreshes comparisons in the background, so that statements are current: soon after the last change, and the customer
 * that waited longest first. Only one instance processes a customer at a time. A search reads only due customers and
 * nothing of customers whose comparisons are current.
 */
@Injectable()
export class ComparisonWorker implements OnModuleInit, OnApplicationBootstrap {
  private readonly worker: Worker<DueCustomer>;
  /** The last customer that was checked since the start; undefined when all were. */
  private looked: string | undefined = FIRST_ID;
  private asked: Promise<number> | undefined;
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly refresher: ComparisonRefresher,
    private readonly times: StatementTimes,
    private readonly metrics: Metrics,
    private readonly workers: Workers,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.worker = workers.of<DueCustomer>({
      name: 'comparisons',
      context: 'Statement',
      interval: () => times.keep,
      mostAtOnce: MOST_AT_ONCE,
      // The refresher ends what is in progress when the service stops.
      stopTimeout: 0,
      failure: { poll: 'Comparisons could not be looked after', item: FAILURE },
      find: () => this.find(),
      // The refresh takes the lease itself, as a refresh for a statement does.
      run: ({ customerId }) => this.refresh(customerId),
      describe: (due) => due,
    });
  }

  onModuleInit(): void {
    this.metrics.watchComparisons(() => this.lag());
  }

  onApplicationBootstrap(): void {
    this.workers.start(this.worker);
  }

  /** Starts due refreshes while there is capacity. The rest follows when capacity becomes free. */
  poll(stop: AbortSignal): Promise<void> {
    return this.worker.poll(stop);
  }

  /** Age of the oldest change that comparisons do not include yet, in seconds. Concurrent callers share one query. */
  lag(): Promise<number> {
    this.asked ??= this.unitOfWork
      .run(lagOfComparisons, { readOnly: true })
      .finally(() => (this.asked = undefined));
    return this.asked;
  }

  /** Resolves when no refresh of this instance is in progress. */
  idle(): Promise<void> {
    return this.worker.idle();
  }

  /**
   * Each customer is checked once after the start: this release may compare differently from the previous one, or count
   * cases where that one did not, and no change reports that. Changes are found by every search.
   */
  private async findOutdated(): Promise<void> {
    const after = this.looked;
    if (after === undefined) return;
    const customers = await this.unitOfWork.run((store) => comparedCustomers(store, after, PAGE), {
      readOnly: true,
    });
    for (const customerId of customers) {
      try {
        if (await this.isOutdated(customerId)) {
          await this.unitOfWork.runFor(customerId, (tx) => noteBehind(tx));
        }
      } catch (error) {
        this.warn(customerId, error);
      }
    }
    this.looked = customers.length < PAGE ? undefined : customers.at(-1);
  }

  private isOutdated(customerId: string): Promise<boolean> {
    return this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        const { fingerprint } = await comparisonContext(tx);
        const progress = await progressOf(tx);
        return !isUpToDate(progress, fingerprint) || progress?.counted !== true;
      },
      ONE_SNAPSHOT,
    );
  }

  private async find(): Promise<Found<DueCustomer>> {
    await this.findOutdated();
    const due = await this.unitOfWork.run((store) => dueCustomers(store, this.times, PAGE), {
      readOnly: true,
    });
    return { due: due.map((customerId) => ({ customerId })) };
  }

  private async refresh(customerId: string): Promise<void> {
    try {
      await this.refresher.refreshIfDue(customerId);
    } catch (error) {
      // Concurrent changes did not let go of the lock. The next search retries.
      if (isLockFailure(error)) return;
      if (!(error instanceof CustomerDeleted)) await this.postpone(customerId);
      throw error;
    }
  }

  private async postpone(customerId: string): Promise<void> {
    try {
      await this.unitOfWork.runFor(customerId, (tx) => postpone(tx, this.times.again));
    } catch (error) {
      this.warn(customerId, error);
    }
  }

  private warn(customerId: string, error: unknown): void {
    logOf(this.logger, { customerId }).warn({ context: 'Statement', err: error }, FAILURE);
  }
}
