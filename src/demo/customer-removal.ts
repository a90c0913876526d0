import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../auth/api-keys.service';
import { CustomersRepository } from '../auth/customers/customers.repository';
import type { CustomerTransaction } from '../database/transaction/store';
import { deleteEvents } from '../records/events/events.repository';
import { clearStaging } from '../sync/run/clear-staging';

/** Deletes a customer with everything that belongs to it. */
@Injectable()
export class CustomerRemoval {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly customers: CustomersRepository,
  ) {}

  /**
   * Deletes the customer within the caller's transaction, which holds the customer's lock exclusively. So no work that
   * takes this lock is in progress, and none can begin; a run may still be between two of its transactions.
   *
   * @returns whether there was such a customer
   */
  async remove(tx: CustomerTransaction): Promise<boolean> {
    await this.keys.removeAll(tx);
    const removed = await this.customers.delete(tx);
    // After the customer's row is deleted, a run in progress can stage no more rows.
    await clearStaging(tx);
    await deleteEvents(tx);
    return removed;
  }
}
