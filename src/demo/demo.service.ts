import { Injectable } from '@nestjs/common';
import { ApiKeysService } from '../auth/api-keys.service';
import type { Customer } from '../auth/customers/customer';
import { CustomersService } from '../auth/customers/customers.service';
import { CustomerDeleted } from '../database/transaction/customer-deleted';
import { lockCustomer } from '../database/transaction/customer-lock';
import { asConflict } from '../records/lock-conflict';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { CustomerRemoval } from '../sync/removal/customer-removal';
import type { DemoSession } from './demo.response';

/** How long the end of a session waits for work under way for its customer, in milliseconds. */
const CLOSE_LOCK_WAIT_MS = 20_000;

/** Customers for trying the service out, made and removed by their users. */
@Injectable()
export class DemoService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly customers: CustomersService,
    private readonly keys: ApiKeysService,
    private readonly removal: CustomerRemoval,
  ) {}

  open(): Promise<DemoSession> {
    return this.unitOfWork.run(async (store) => {
      const customer = await this.customers.insert(store, 'Demo session', 'demo');
      const { key } = await this.keys.insert(store.forCustomer(customer.id), { mode: 'demo' });
      return { api_key: key, customer_id: customer.id };
    });
  }

  /**
   * Removes a demo customer with its key and all of its data.
   *
   * @throws CustomerDeleted when another call was faster, so that the key is void by now
   * @throws ApiError CONFLICT_ERROR when work for the customer does not end within 20 s
   */
  async close(customer: Customer): Promise<void> {
    try {
      await this.unitOfWork.runFor(
        customer.id,
        async (tx) => {
          if (!(await lockCustomer(tx, 'exclusive'))) throw new CustomerDeleted();
          await this.removal.remove(tx);
        },
        { deadlines: 'bulk', lockWaitMs: CLOSE_LOCK_WAIT_MS },
      );
    } catch (error) {
      throw asConflict(error, 'session');
    } finally {
      this.keys.forget(customer.id);
    }
  }
}
