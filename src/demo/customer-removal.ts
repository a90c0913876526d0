import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { ApiKeysService } from '../auth/api-keys.service';
import { CustomerRow } from '../database/entities/customer.entity';
import type { CustomerTransaction } from '../database/transaction/customer-transaction';
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
  async remove(tx: CustomerTransaction): Promise<boolean> {
    await this.keys.removeAll(tx);
    // Almost everything else refers to this row and goes with it.
    const { affected } = await tx.store.manager.withRepository(this.customers).delete({ id: tx.customerId });
    // Behind the customer: a run that is under way can stage no more then.
    for (const table of stagingTables) {
      await tx.query(`delete from ${table} where customer_id = $1`);
    }
    return affected === 1;
  }
}
