import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { UnitOfWork, type Store } from '../../database/transaction/unit-of-work';
import { ConnectionsRepository } from '../../records/connections/connections.repository';
import { ApiKeysRepository } from '../keys/api-keys.repository';
import type { Customer } from './customer';
import { CustomersRepository, getCustomer } from './customers.repository';

/** A customer in listings. */
export interface CustomerSummary extends Customer {
  readonly name: string;
  readonly createdAt: Date;
  /** Keys that are valid now: neither revoked nor expired. */
  readonly keysInUse: number;
  readonly connections: number;
}

@Injectable()
export class CustomersService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly customers: CustomersRepository,
    private readonly keys: ApiKeysRepository,
    private readonly connections: ConnectionsRepository,
  ) {}

  /** Creates a customer of the operator, without keys. */
  create(name: string): Promise<Customer> {
    return this.unitOfWork.run((store) => this.insert(store, name, 'standard'));
  }

  /** Inserts a customer within the caller's transaction. */
  async insert(store: Store, name: string, kind: Customer['kind']): Promise<Customer> {
    const id = randomUUID();
    await this.customers.insert(store, { id, name, kind });
    return { id, kind };
  }

  /**
   * Returns a customer.
   *
   * @throws ApiError NOT_FOUND if the customer does not exist
   */
  get(customerId: string): Promise<Customer> {
    return this.unitOfWork.run((store) => getCustomer(store.forCustomer(customerId)), { readOnly: true });
  }

  /**
   * The customers of the given kinds, oldest first. Three queries are combined here, because keys and customers can be
   * on different servers, which cannot join them.
   */
  list(kinds: readonly Customer['kind'][]): Promise<CustomerSummary[]> {
    return this.unitOfWork.run(
      async (store) => {
        const rows = await this.customers.list(store, kinds);
        const keys = await this.keys.countInUse(store);
        const connections = await this.connections.countByCustomer(store);
        return rows.map(({ id, name, kind, createdAt }) => ({
          id,
          name,
          kind,
          createdAt,
          keysInUse: keys.get(id) ?? 0,
          connections: connections.get(id) ?? 0,
        }));
      },
      // There can be many demo customers.
      { deadlines: 'bulk', readOnly: true },
    );
  }
}
