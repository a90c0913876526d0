import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import type { Store } from '../../database/transaction/store';
import { CustomerDeleted, UnknownCustomer } from '../../database/transaction/customer-deleted';
import { ConnectionsRepository } from '../../records/connections/connections.repository';
import { ApiKeysRepository } from '../keys/api-keys.repository';
import type { Customer, CustomerProfile } from './customer';
import { CustomersRepository, getCustomer } from './customers.repository';

/** A customer in listings. */
export interface CustomerSummary extends Customer {
  readonly name: string;
  /** IANA name. */
  readonly timeZone: string;
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
   * @throws UnknownCustomer
   */
  get(customerId: string): Promise<Customer> {
    return this.unitOfWork.run((store) => getCustomer(store.forCustomer(customerId)), { readOnly: true });
  }

  /**
   * Changes the given properties of a customer.
   *
   * @param changes at least one; a time zone for which `isTimeZone` holds
   * @throws UnknownCustomer
   */
  set(
    customerId: string,
    changes: { readonly name?: string; readonly timeZone?: string },
  ): Promise<CustomerProfile> {
    return this.unitOfWork.runFor(customerId, async (tx) => {
      await this.customers.update(tx, changes);
      const profile = await this.customers.findProfile(tx);
      if (profile === null) throw new UnknownCustomer(customerId);
      return profile;
    });
  }

  /**
   * The customer's name, and the time zone in which its days begin and end.
   *
   * @throws CustomerDeleted when the customer was deleted meanwhile
   */
  async profile(customerId: string): Promise<CustomerProfile> {
    const profile = await this.unitOfWork.runFor(customerId, (tx) => this.customers.findProfile(tx), {
      readOnly: true,
    });
    if (profile === null) throw new CustomerDeleted();
    return profile;
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
        return rows.map(({ id, name, timeZone, kind, createdAt }) => ({
          id,
          name,
          timeZone,
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
