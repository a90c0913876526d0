import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { isLockFailure } from '../../database/database-errors';
import { UnitOfWork } from '../../database/unit-of-work';
import { LOGGER, type Logger } from '../../logging/logger';
import { Metrics } from '../../metrics/metrics';
import { BackgroundTasks } from '../../schedule/background-tasks';
import { StatementTimes } from '../statement-times';
import { comparedCustomers, dueCustomers, lagOfComparisons } from './due.repository';
import { ComparisonRefresher } from './refresher';
import { progressOf } from './state';
import { surroundingsOf } from './surroundings';

/** Customers that one instance refreshes at a time: a small one does not wait behind a large one. */
const MOST_AT_ONCE = 2;

/** Customers that one look finds. */
const LOOK = 100;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Lets comparisons follow the records by themselves, so that whoever asks for a statement finds it fresh: soon after the last
 * change, who waited longest first. Of all instances one works on a customer.
 */
@Injectable()
export class ComparisonKeeper implements OnModuleInit, OnApplicationBootstrap {
  private readonly working = new Map<string, Promise<void>>();
  /** Customers whose refresh failed, and until when they wait, by the clock of this process. */
  private readonly failed = new Map<string, number>();
  /** Customers that another release has compared, or under other terms. */
  private readonly outdated = new Set<string>();
  /** Up to where customers were looked at since the start; undefined when all were. */
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

  /** Starts what is due, as far as there is room. */
  async look(stop: AbortSignal): Promise<void> {
    await this.findOutdated();
    if (this.working.size >= MOST_AT_ONCE) return;
    const due = await this.unitOfWork.run((store) => dueCustomers(store, this.times, LOOK), {
      readOnly: true,
    });
    for (const customerId of [...due, ...this.outdated]) {
      if (stop.aborted || this.working.size >= MOST_AT_ONCE) return;
      if (!this.working.has(customerId) && this.mayTry(customerId)) this.start(customerId);
    }
  }

  /** Age of the oldest change that comparisons do not show yet, in seconds. Those who ask at once get one answer. */
  lag(): Promise<number> {
    this.asked ??= this.unitOfWork
      .run(lagOfComparisons, { readOnly: true })
      .finally(() => (this.asked = undefined));
    return this.asked;
  }

  /** Resolves when no refresh that was begun here is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.working.values());
  }

  /**
   * Each customer is looked at once after the start: this release may compare in another way than the one before, and no
   * change says so. Changes are found by every look.
   */
  private async findOutdated(): Promise<void> {
    const after = this.looked;
    if (after === undefined) return;
    const customers = await this.unitOfWork.run((store) => comparedCustomers(store, after, LOOK), {
      readOnly: true,
    });
    for (const customerId of customers) {
      const isOutdated = await this.unitOfWork.run(
        async (store) => {
          const { fingerprint } = await surroundingsOf(store, customerId);
          return (await progressOf(store, customerId))?.fingerprint !== fingerprint;
        },
        { customerId, readOnly: true, isolation: 'REPEATABLE READ' },
      );
      if (isOutdated) this.outdated.add(customerId);
    }
    this.looked = customers.length < LOOK ? undefined : customers.at(-1);
  }

  private start(customerId: string): void {
    this.outdated.delete(customerId);
    const work = this.refresher
      .refreshIfFree(customerId)
      .then(() => void this.failed.delete(customerId))
      .catch((error: unknown) => this.note(customerId, error))
      .finally(() => this.working.delete(customerId));
    this.working.set(customerId, work);
  }

  private note(customerId: string, error: unknown): void {
    // Changes left no moment between them; the next look tries again.
    if (isLockFailure(error)) return;
    const now = performance.now();
    for (const [each, until] of this.failed) if (until <= now) this.failed.delete(each);
    this.failed.set(customerId, now + this.times.again);
    this.logger.warn({ context: 'Statement', err: error }, 'Comparisons could not be refreshed');
  }

  private mayTry(customerId: string): boolean {
    return (this.failed.get(customerId) ?? 0) <= performance.now();
  }
}
