import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { isLockFailure } from '../../database/connection/database-errors';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { LOGGER, type Logger } from '../../runtime/logging/logger';
import { Metrics } from '../../runtime/metrics/metrics';
import { ConcurrentWork } from '../../runtime/background/concurrent-work';
import { BackgroundTasks } from '../../runtime/background/background-tasks';
import { logOf } from '../../runtime/tracing/logged-work';
import { StatementTimes } from '../statement/freshness/statement-times';
import {
  comparedCustomers,
  dueCustomers,
  lagOfComparisons,
  noteBehind,
  postpone,
} from '../../records/changes/due-comparisons.repository';
import { ComparisonRefresher } from './refresher';
import { isUpToDate, progressOf } from './comparison-states.repository';
import { comparisonContext } from './comparison-context.repository';

/** Customers that one instance refreshes concurrently, so that a small one does not wait behind a large one. */
const MOST_AT_ONCE = 2;

/** Maximum number of customers that one search finds. All are processed before the next search. */
const LOOK = 100;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Refreshes comparisons in the background, so that statements are current: soon after the last change, and the customer
 * that waited longest first. Only one instance processes a customer at a time. A search reads only due customers and
 * nothing of customers whose comparisons are current.
 */
@Injectable()
export class ComparisonWorker implements OnModuleInit, OnApplicationBootstrap {
  private readonly working = new ConcurrentWork(MOST_AT_ONCE);
  /** Customers of the last search that are not processed yet. */
  private found: string[] = [];
  /** The last customer that was checked since the start; undefined when all were. */
  private looked: string | undefined = FIRST_ID;
  private asked: Promise<number> | undefined;
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly refresher: ComparisonRefresher,
    private readonly times: StatementTimes,
    private readonly metrics: Metrics,
    private readonly background: BackgroundTasks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.metrics.watchComparisons(() => this.lag());
  }

  onApplicationBootstrap(): void {
    this.background.start({
      pause: this.times.keep,
      run: (stop) => this.look(stop),
      failure: 'Comparisons could not be looked after',
      context: 'Statement',
    });
  }

  /** Starts due refreshes while there is capacity. The rest follows when capacity becomes free. */
  async look(stop: AbortSignal): Promise<void> {
    await this.findOutdated();
    if (this.found.length > 0 || this.working.room <= 0) return;
    const due = await this.unitOfWork.run((store) => dueCustomers(store, this.times, LOOK), {
      readOnly: true,
    });
    this.found = [...due];
    this.startFound(stop);
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
    return this.working.idle();
  }

  /**
   * Each customer is checked once after the start: this release may compare differently from the previous one, and no
   * change reports that. Changes are found by every search.
   */
  private async findOutdated(): Promise<void> {
    const after = this.looked;
    if (after === undefined) return;
    const customers = await this.unitOfWork.run((store) => comparedCustomers(store, after, LOOK), {
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
    this.looked = customers.length < LOOK ? undefined : customers.at(-1);
  }

  private isOutdated(customerId: string): Promise<boolean> {
    return this.unitOfWork.runFor(
      customerId,
      async (tx) => {
        const { fingerprint } = await comparisonContext(tx);
        return !isUpToDate(await progressOf(tx), fingerprint);
      },
      { readOnly: true, isolation: 'REPEATABLE READ' },
    );
  }

  private startFound(stop: AbortSignal): void {
    while (!stop.aborted && this.working.room > 0) {
      const next = this.found.shift();
      if (next === undefined) return;
      if (this.working.roomFor(next) > 0) this.start(next, stop);
    }
  }

  private start(customerId: string, stop: AbortSignal): void {
    this.working.start(
      customerId,
      () =>
        this.refresher.refreshIfDue(customerId).catch((error: unknown) => this.letWait(customerId, error)),
      () => this.startFound(stop),
    );
  }

  private async letWait(customerId: string, failure: unknown): Promise<void> {
    // Concurrent changes did not let go of the lock. The next search retries.
    if (isLockFailure(failure) || failure instanceof CustomerDeleted) return;
    this.warn(customerId, failure);
    try {
      await this.unitOfWork.runFor(customerId, (tx) => postpone(tx, this.times.again));
    } catch (error) {
      this.warn(customerId, error);
    }
  }

  private warn(customerId: string, error: unknown): void {
    logOf(this.logger, { customerId }).warn(
      { context: 'Statement', err: error },
      'Comparisons could not be refreshed',
    );
  }
}
