import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../auth/api-keys.service';
import { CustomersRepository, type ExpiredDemo } from '../auth/customers/customers.repository';
import { tryLockCustomer } from '../database/transaction/customer-lock';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { DatabaseUnavailable } from '../database/connection/database-errors';
import { CustomerRemoval } from '../sync/removal/customer-removal';

/** Customers that are chosen at once. */
export const BATCH = 20;

/** The result of a batch. */
interface RemovedBatch {
  readonly removed: number;
  /** What failed: a customer that cannot be removed keeps no other. */
  readonly failures: readonly unknown[];
}

/** Removes demo customers that have had their time, with their keys and all of their data. */
@Injectable()
export class DemoExpiry {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly removal: CustomerRemoval,
    private readonly keys: ApiKeysService,
    private readonly customers: CustomersRepository,
  ) {}

  /**
   * Removes expired demo customers in small batches, oldest first, each customer in a transaction of its own. A
   * customer with work in progress is left for the next time.
   *
   * @param age milliseconds since the session was opened, by the database's clock
   * @returns the number of removed customers, batch by batch; a caller that stops iterating stops the removal
   * @throws AggregateError at the end, with the failures of single customers; DatabaseUnavailable as soon as the number of
   *   the batch in which it occurred was yielded
   */
  async *removeOlderThan(age: number): AsyncGenerator<number, void, undefined> {
    const failures: unknown[] = [];
    let last: ExpiredDemo | undefined;
    do {
      const batch = await this.expired(age, last);
      const result = await this.removeBatch(batch);
      yield result.removed;
      const away = result.failures.find((failure) => failure instanceof DatabaseUnavailable);
      if (away !== undefined) throw away;
      failures.push(...result.failures);
      last = batch.length < BATCH ? undefined : batch.at(-1);
    } while (last !== undefined);
    if (failures.length > 0) throw new AggregateError(failures, 'Demo customers could not be removed');
  }

  /** The next batch of customers that are older than an age in milliseconds. A smaller one is the last. */
  expired(age: number, after?: ExpiredDemo): Promise<readonly ExpiredDemo[]> {
    return this.unitOfWork.run(
      (store) => this.customers.expiredDemos(store, { age, limit: BATCH, ...(after && { after }) }),
      { deadlines: 'bulk', readOnly: true },
    );
  }

  /** Removes the customers of a batch one after another. Ends early without the database. */
  async removeBatch(batch: readonly ExpiredDemo[]): Promise<RemovedBatch> {
    const failures: unknown[] = [];
    let removed = 0;
    for (const { id } of batch) {
      try {
        if (await this.remove(id)) removed += 1;
      } catch (error) {
        failures.push(error);
        if (error instanceof DatabaseUnavailable) break;
      }
    }
    return { removed, failures };
  }

  private async remove(customerId: string): Promise<boolean> {
    try {
      return await this.unitOfWork.runFor(
        customerId,
        async (tx) => (await tryLockCustomer(tx)) && this.removal.remove(tx),
        { deadlines: 'bulk' },
      );
    } finally {
      // Also when it is unknown whether it was removed: this instance then looks the key up again.
      this.keys.forget(customerId);
    }
  }
}
