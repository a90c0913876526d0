import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../auth/api-keys.service';
import { CustomersRepository, type ExpiredDemo } from '../auth/customers/customers.repository';
import { tryLockCustomer } from '../database/transaction/customer-lock';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { forEachCustomer } from '../runtime/background/each-customer';
import { CustomerRemoval } from './customer-removal';

/** Customers that are chosen at once. */
const BATCH = 20;

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
   * Removes them in small batches, oldest first, each customer in a transaction of its own. A customer with work under
   * way is left for the next time.
   *
   * @param age milliseconds since the session was opened, by the database's clock
   * @returns how many each batch has removed, when it is done; who stops asking stops the removal
   * @throws AggregateError at the end, with what failed: a customer that cannot be removed keeps no other; DatabaseUnavailable
   *   at once, behind what the batch has removed
   */
  async *removeOlderThan(age: number): AsyncGenerator<number, void, undefined> {
    const failures: unknown[] = [];
    let batch = await this.choose(age);
    for (;;) {
      let removed = 0;
      const ids = batch.map(({ id }) => id);
      try {
        await forEachCustomer(ids, undefined, async (id) => {
          if (await this.remove(id)) removed += 1;
        });
      } catch (error) {
        if (!(error instanceof AggregateError)) {
          yield removed;
          throw error;
        }
        failures.push(...(error.errors as readonly unknown[]));
      }
      yield removed;
      const last = batch.at(-1);
      if (last === undefined || batch.length < BATCH) break;
      batch = await this.choose(age, last);
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Demo customers could not be removed');
  }

  private choose(age: number, after?: ExpiredDemo): Promise<ExpiredDemo[]> {
    return this.unitOfWork.run(
      (store) => this.customers.expiredDemos(store, { age, limit: BATCH, ...(after && { after }) }),
      { deadlines: 'bulk', readOnly: true },
    );
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
