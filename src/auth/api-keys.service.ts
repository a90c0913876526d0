import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work';
import { ApiError } from '../http/errors';
import { hashKey, sameHash, type KeyMode } from './api-key';
import {
  findCustomer,
  findKeyByHash,
  insertCustomer,
  insertKey,
  listKeys,
  revokeKey,
  type ApiKeyRow,
  type IssuedKey,
} from './api-keys.repository';
import type { Caller } from './caller';
import type { Customer } from './customer';

/** Customers and their keys. */
@Injectable()
export class ApiKeysService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Who a key belongs to; undefined when it is unknown or revoked. */
  async findCaller(key: string): Promise<Caller | undefined> {
    const hash = hashKey(key);
    const row = await this.unitOfWork.run((store) => findKeyByHash(store, hash), { readOnly: true });
    if (row === undefined || !sameHash(row.hash, hash)) return undefined;
    return { customer: { id: row.customer_id, kind: row.kind }, mode: row.mode, keyId: row.id };
  }

  /** A customer of the operator's, without keys as yet. */
  createCustomer(name: string): Promise<Customer> {
    return this.unitOfWork.run((store) => insertCustomer(store, name, 'standard'));
  }

  /**
   * A new key for a customer. This is the one time it is told.
   *
   * @throws ApiError NOT_FOUND without such a customer, CONFLICT_ERROR for a demo customer, whose key comes from its session
   */
  issue(customerId: string, mode: Exclude<KeyMode, 'demo'>): Promise<IssuedKey> {
    return this.unitOfWork.run(async (store) => {
      const customer = await findCustomer(store, customerId);
      if (customer === undefined) throw noCustomer(customerId);
      if (customer.kind === 'demo') {
        throw new ApiError(
          'CONFLICT_ERROR',
          `Customer ${customerId} is a demo session; its key cannot be added to`,
        );
      }
      return insertKey(store, customerId, mode);
    });
  }

  /**
   * The keys of a customer, oldest first, without the keys themselves.
   *
   * @throws ApiError NOT_FOUND without such a customer
   */
  list(customerId: string): Promise<ApiKeyRow[]> {
    return this.unitOfWork.run(
      async (store) => {
        if ((await findCustomer(store, customerId)) === undefined) throw noCustomer(customerId);
        return listKeys(store, customerId);
      },
      { readOnly: true },
    );
  }

  /**
   * Revokes a key, at once and for good.
   *
   * @throws ApiError NOT_FOUND without such a key
   */
  async revoke(keyId: string): Promise<ApiKeyRow> {
    const row = await this.unitOfWork.run((store) => revokeKey(store, keyId));
    if (row === undefined) throw new ApiError('NOT_FOUND', `No key with ID ${keyId}`);
    return row;
  }
}

export function noCustomer(customerId: string): ApiError {
  return new ApiError('NOT_FOUND', `No customer with ID ${customerId}`);
}
