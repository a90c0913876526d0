import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { inPrecedence } from '@app/mapper';
import { getCustomer } from '../auth/customers.service';
import { ConnectionRow } from '../database/entities/connection.entity';
import { UnitOfWork } from '../database/unit-of-work';

/** The platforms that customers have connected. */
@Injectable()
export class ConnectionListingService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    @InjectRepository(ConnectionRow) private readonly connections: Repository<ConnectionRow>,
  ) {}

  /**
   * The connections of a customer, in order of precedence.
   *
   * @throws ApiError NOT_FOUND without such a customer
   */
  list(customerId: string): Promise<readonly Readonly<ConnectionRow>[]> {
    return this.unitOfWork.run(
      async (store) => {
        await getCustomer(store, customerId);
        const rows = store.manager.withRepository(this.connections);
        return inPrecedence(await rows.find({ where: { customerId } }));
      },
      { readOnly: true },
    );
  }
}
