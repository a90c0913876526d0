import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { ApiKeysService } from '../auth/api-keys.service';
import { CustomerRow } from '../database/entities/customer.entity';
import type { Store } from '../database/transaction/store';
import { stagingTables } from '../sync/reading/staging-tables';

/** Deletes a customer with everything that belongs to it. */
@Injectable()
export class CustomerRemoval {
  constructor(
    private readonly keys: ApiKeysService,
    @InjectRepository(CustomerRow) private readonly customers: Repository<CustomerRow>,
  ) {}

  /**
   * Deletes the customer within the caller's transaction, which holds the customer's lock exclusively: work under way
   * for the customer has ended then, and none begins behind.
   *
   * @returns whether there was such a customer
   */
  async remove(store: Store, customerId: string): Promise<boolean> {
    await this.keys.removeAll(store, customerId);
    // Almost everything else refers to this row and goes with it.
    const { affected } = await store.manager.withRepository(this.customers).delete({ id: customerId });
    // Behind the customer: a run that is under way can stage no more then.
    for (const table of stagingTables) {
      await store.query(`delete from ${table} where customer_id = $1`, [customerId]);
    }
    return affected === 1;
  }
}
