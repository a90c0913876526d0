import type { OnApplicationBootstrap } from '@nestjs/common';
import type { Store, UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Clock } from '../clock/clock';
import type { BackgroundTasks } from './background-tasks';
import { forEachCustomer } from './each-customer';

const SECOND = 1_000;
const DAY = 24 * 3_600_000;

/** Milliseconds between searches for rows older than a lifetime: a day, or a tenth of a shorter lifetime. */
export function pauseOfSweeps(life: number): number {
  return Math.min(Math.max(life / 10, SECOND), DAY);
}

/** How long rows are kept, and how often a retention looks for older ones; milliseconds. */
export interface KeptFor {
  /** 0 keeps them for ever. */
  readonly life: number;
  /** By default as {@link pauseOfSweeps} says. */
  readonly pause?: number;
}

/**
 * Deletes rows of customers in the background when they are older than their lifetime. A subclass says which customers have such
 * rows, and deletes those of one customer.
 */
export abstract class Retention implements OnApplicationBootstrap {
  /** The log message for a round that failed. The next round takes place regardless. */
  protected abstract readonly failure: string;

  constructor(
    protected readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly background: BackgroundTasks,
    private readonly kept: KeptFor,
  ) {}

  onApplicationBootstrap(): void {
    const { life, pause = pauseOfSweeps(life) } = this.kept;
    if (life === 0) return;
    this.background.start({
      pause,
      run: (stop) => this.purge(undefined, stop),
      failure: this.failure,
    });
  }

  /**
   * Deletes what is too old, one customer after another. A failure for one customer does not affect the others.
   *
   * @param before deletes what is older than this time; by default than the lifetime
   * @throws AggregateError at the end, with the failures; DatabaseUnavailable at once
   */
  async purge(
    before = new Date(this.clock.now().getTime() - this.kept.life),
    stop?: AbortSignal,
  ): Promise<void> {
    const customers = await this.unitOfWork.run((store) => this.customers(store, before), {
      deadlines: 'bulk',
      readOnly: true,
    });
    await forEachCustomer(customers, stop, (customerId) => this.remove(customerId, before, stop));
  }

  /** The customers that may have rows that are older. Reads across customers. */
  protected abstract customers(store: Store, before: Date): Promise<readonly string[]>;

  /** Deletes the older rows of one customer. */
  protected abstract remove(customerId: string, before: Date, stop?: AbortSignal): Promise<void>;
}
