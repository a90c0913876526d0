import { Inject, type OnApplicationBootstrap } from '@nestjs/common';
import type { CustomersWithOlderRows, OlderRow } from '../../database/transaction/older-rows';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { Clock } from '../clock/clock';
import { ENVIRONMENT, type Environment } from '../config/environment';
import type { Found, UnleasedWork } from './work';
import { Workers } from './workers';

const SECOND = 1_000;
const DAY = 24 * 3_600_000;

/** Maximum number of rows that one transaction deletes. */
const AT_ONCE = 1_000;

/** Milliseconds between searches for rows older than a lifetime: a day, or a tenth of a shorter lifetime. */
export function pauseOfSweeps(life: number): number {
  return Math.min(Math.max(life / 10, SECOND), DAY);
}

interface DueCustomer {
  readonly customerId: string;
}

/**
 * Deletes rows of customers in the background when they are older than their lifetime. A subclass finds the customers that
 * have such rows, and deletes those of one customer.
 */
export abstract class Retention implements OnApplicationBootstrap {
  /** See {@link UnleasedWork.name}. */
  protected abstract readonly name: string;
  /** The log message for customers whose rows could not be deleted. */
  protected abstract readonly failure: string;

  // Injected as properties, so that the constructors of subclasses need not pass them on.
  @Inject(UnitOfWork) protected readonly unitOfWork: UnitOfWork;
  @Inject(Clock) private readonly clock: Clock;
  @Inject(Workers) private readonly workers: Workers;
  @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'historyTtlMs'>;

  /** Milliseconds for which rows are kept, by default as long as history; 0 for ever. */
  protected get life(): number {
    return this.environment.historyTtlMs;
  }

  /** Milliseconds between two searches. */
  protected get pause(): number {
    return pauseOfSweeps(this.life);
  }

  onApplicationBootstrap(): void {
    if (this.life > 0) this.workers.start(this.workers.of(this.workUntil(() => this.oldest())));
  }

  /**
   * Deletes the rows that are too old now, one customer after another. A failure for one customer is logged and does not
   * affect the others.
   *
   * @param before deletes rows that are older than this time; by default, rows that are older than their lifetime
   */
  purge(before = this.oldest()): Promise<void> {
    return this.workers.of(this.workUntil(() => before)).sweep();
  }

  /** Finds a page of customers that have older rows. Reads across customers, and only rows that are older. */
  protected abstract readonly customers: (
    store: Store,
    before: Date,
    after?: OlderRow,
  ) => Promise<CustomersWithOlderRows>;

  /** Deletes the older rows of one customer. */
  protected abstract remove(customerId: string, before: Date, stop: AbortSignal): Promise<void>;

  /**
   * Deletes older rows of one customer in short transactions.
   *
   * @param deletions run one after the other. Each deletes `most` rows at most and returns the number of deleted rows
   * @returns whether all rows are deleted; false after a stop
   */
  protected async removeInParts(
    customerId: string,
    before: Date,
    stop: AbortSignal,
    deletions: readonly ((tx: CustomerTransaction, before: Date, most: number) => Promise<number>)[],
  ): Promise<boolean> {
    for (const deleteOld of deletions) {
      let removed = AT_ONCE;
      while (removed === AT_ONCE) {
        if (stop.aborted) return false;
        removed = await this.unitOfWork.runFor(customerId, (tx) => deleteOld(tx, before, AT_ONCE), {
          deadlines: 'bulk',
        });
      }
    }
    return true;
  }

  private oldest(): Date {
    return new Date(this.clock.now().getTime() - this.life);
  }

  private workUntil(before: () => Date): UnleasedWork<DueCustomer> {
    const find = async (after?: OlderRow): Promise<Found<DueCustomer>> => {
      const { customers, last } = await this.unitOfWork.run(
        (store) => this.customers(store, before(), after),
        { deadlines: 'bulk', readOnly: true },
      );
      const due = customers.map((customerId) => ({ customerId }));
      return last === undefined ? { due } : { due, more: () => find(last) };
    };
    return {
      name: this.name,
      interval: this.pause,
      mostAtOnce: 1,
      failure: { poll: this.failure, item: this.failure },
      find: () => find(),
      describe: (due) => due,
      run: ({ customerId }, stop) => this.remove(customerId, before(), stop),
    };
  }
}
