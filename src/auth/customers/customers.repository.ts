import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { CustomerRow } from '../../database/entities/customer.entity';
import { UnknownCustomer } from '../../database/transaction/customer-deleted';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import type { Customer, CustomerProfile } from './customer';

/** An expired demo customer, and its position in their order. */
export interface ExpiredDemo {
  readonly id: string;
  /** The time of opening as the database writes it, because a Date would lose its microseconds. */
  readonly openedAt: string;
}

/** The table of customers. */
@Injectable()
export class CustomersRepository {
  constructor(@InjectRepository(CustomerRow) private readonly rows: Repository<CustomerRow>) {}

  async insert(store: Store, customer: Pick<CustomerRow, 'id' | 'name' | 'kind'>): Promise<void> {
    await store.manager.withRepository(this.rows).insert(customer);
  }

  /** Changes the given columns. @returns whether the customer exists */
  async update(
    tx: CustomerTransaction,
    changes: Partial<Pick<CustomerRow, 'name' | 'timeZone'>>,
  ): Promise<boolean> {
    const rows = tx.store.manager.withRepository(this.rows);
    const { affected } = await rows.update({ id: tx.customerId }, changes);
    return affected === 1;
  }

  /** The customer's name and time zone; null if the customer does not exist. */
  findProfile(tx: CustomerTransaction): Promise<CustomerProfile | null> {
    return tx.store.manager.withRepository(this.rows).findOne({
      select: { id: true, name: true, timeZone: true },
      where: { id: tx.customerId },
    });
  }

  /** Customers of the given kinds, oldest first. */
  list(store: Store, kinds: readonly Customer['kind'][]): Promise<CustomerRow[]> {
    return store.manager.withRepository(this.rows).find({
      where: { kind: In(kinds) },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
  }

  /**
   * Deletes the customer. Almost all other rows refer to its row and are deleted with it.
   *
   * @returns whether the customer existed
   */
  async delete(tx: CustomerTransaction): Promise<boolean> {
    const { affected } = await tx.store.manager.withRepository(this.rows).delete({ id: tx.customerId });
    return affected === 1;
  }

  /**
   * The next demo customers whose sessions are older than an age, oldest first. It takes no locks, because on a cluster
   * the rows may be on several servers.
   *
   * @param age milliseconds since the session was opened, by the database's clock
   */
  expiredDemos(
    store: Store,
    { age, after, limit }: { readonly age: number; readonly after?: ExpiredDemo; readonly limit: number },
  ): Promise<ExpiredDemo[]> {
    const query = store.manager
      .withRepository(this.rows)
      .createQueryBuilder('customer')
      .select('customer.id', 'id')
      .addSelect('cast(customer.createdAt as text)', 'openedAt')
      .where(`customer.kind = 'demo'`)
      .andWhere(`customer.createdAt <= now() - :age * interval '1 millisecond'`, { age })
      .orderBy('customer.createdAt')
      .addOrderBy('customer.id')
      .limit(limit);
    if (after !== undefined) {
      query.andWhere('(customer.createdAt, customer.id) > (:openedAt::timestamptz, :id::uuid)', after);
    }
    return query.getRawMany<ExpiredDemo>();
  }
}

/**
 * Returns the customer of a transaction.
 *
 * @throws UnknownCustomer
 */
export async function getCustomer(tx: CustomerTransaction): Promise<Customer> {
  const [row] = await tx.query<Customer>('select id, kind from customers where id = $1');
  if (row === undefined) throw new UnknownCustomer(tx.customerId);
  return row;
}

/**
 * Locks the customer's row for a change of its terms, keys or webhook endpoints. Such changes run one after the other;
 * no other work waits for them.
 *
 * @throws UnknownCustomer
 */
export async function lockForTerms(tx: CustomerTransaction): Promise<void> {
  const found = await tx.query('select 1 from customers where id = $1 for no key update');
  if (found.length === 0) throw new UnknownCustomer(tx.customerId);
}
