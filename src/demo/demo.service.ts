import { Injectable } from '@nestjs/common';
import { invalidKey } from '../auth/api-key.guard';
import { insertCustomer, insertKey } from '../auth/api-keys.repository';
import type { Customer } from '../auth/customer';
import { lockCustomer } from '../database/customer-lock';
import { UnitOfWork } from '../database/unit-of-work';
import type { DemoSession } from './demo.answer';

/** Customers for trying the service out, made and removed by their users. */
@Injectable()
export class DemoService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  open(): Promise<DemoSession> {
    return this.unitOfWork.run(async (store) => {
      const customer = await insertCustomer(store, 'Demo session', 'demo');
      const { key } = await insertKey(store, customer.id, 'demo');
      return { api_key: key, customer_id: customer.id };
    });
  }

  /**
   * Removes a demo customer with its key and all of its data.
   *
   * @throws ApiError AUTHENTICATION_ERROR when another call was faster, so that the key is void by now
   */
  async close(customer: Customer): Promise<void> {
    await this.unitOfWork.run(
      async (store) => {
        // First of all, so that work under way for this customer ends before and none begins behind.
        if (!(await lockCustomer(store, customer.id, 'exclusive'))) throw invalidKey();
        // Everything a customer has refers to this row and goes with it.
        await store.query('delete from customers where id = $1', [customer.id]);
      },
      { patience: 'bulk' },
    );
  }
}
