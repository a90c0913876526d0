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
   * Deletes the customer within the caller's transaction, which holds the customer's lock exclusively: work under way
   * for the customer has ended then, and none begins behind.
   *
   * @returns whether there was such a customer
   */
  async remove(tx: CustomerTransaction): Promise<boolean> {
    await this.keys.removeAll(tx);
    const removed = await this.customers.delete(tx);
    // Behind the customer: a run that is under way can stage no more then.
    await clearStaging(tx);
    await deleteEvents(tx);
    return removed;
  }
}
