import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { In, type ObjectLiteral, type Repository } from 'typeorm';
import { ApiKeyRow } from '../database/entities/api-key.entity';
import { ConnectionRow } from '../database/entities/connection.entity';
import { CustomerRow } from '../database/entities/customer.entity';
import type { CustomerTransaction } from '../database/transaction/customer-transaction';
import { UnitOfWork, type Store } from '../database/transaction/unit-of-work';
import { ApiError } from '../common/errors/api-error';
import type { Customer } from './customer';
import { keysInUse } from './key-in-use';

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
    @InjectRepository(CustomerRow) private readonly customers: Repository<CustomerRow>,
    @InjectRepository(ApiKeyRow) private readonly keys: Repository<ApiKeyRow>,
    @InjectRepository(ConnectionRow) private readonly connections: Repository<ConnectionRow>,
  ) {}

  /** Creates a customer of the operator, without keys. */
  create(name: string): Promise<Customer> {
    return this.unitOfWork.run((store) => this.insert(store, name, 'standard'));
  }

  /** Inserts a customer within the caller's transaction. */
  async insert(store: Store, name: string, kind: Customer['kind']): Promise<Customer> {
    const id = randomUUID();
    await store.manager.withRepository(this.customers).insert({ id, name, kind });
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
        const rows = await store.manager.withRepository(this.customers).find({
          where: { kind: In(kinds) },
          order: { createdAt: 'ASC', id: 'ASC' },
        });
        const keys = await countedByCustomer(store.manager.withRepository(this.keys), keysInUse());
        const connections = await countedByCustomer(store.manager.withRepository(this.connections), {});
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
      { patience: 'bulk', readOnly: true },
    );
  }
}

/**
 * Returns a customer within the caller's transaction.
 *
 * @throws ApiError NOT_FOUND if the customer does not exist
 */
export async function getCustomer(tx: CustomerTransaction): Promise<Customer> {
  const row = await tx.store.manager.getRepository(CustomerRow).findOneBy({ id: tx.customerId });
  if (row === null) throw new ApiError('NOT_FOUND', `No customer with ID ${tx.customerId}`);
  return { id: row.id, kind: row.kind };
}

/** The number of rows of each customer. Customers without rows are left out. */
async function countedByCustomer<Row extends ObjectLiteral & { customerId: string }>(
  rows: Repository<Row>,
  where: ObjectLiteral | ObjectLiteral[],
): Promise<ReadonlyMap<string, number>> {
  const counts = await rows
    .createQueryBuilder('row')
    .select('row.customerId', 'id')
    .addSelect('count(*)::int', 'count')
    .where(where)
    .groupBy('row.customerId')
    .getRawMany<{ id: string; count: number }>();
  return new Map(counts.map(({ id, count }) => [id, count]));
}
