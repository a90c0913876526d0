import { Injectable } from '@nestjs/common';
import type { Store } from '../database/store';
import { UnitOfWork } from '../database/unit-of-work';
import { ApiError } from '../errors/api-error';
import { hashKey, sameHash, type KeyMode } from './api-key';
import {
  expireKey,
  findCustomer,
  findKeyByHash,
  insertCustomer,
  insertKey,
  listKeys,
  lockKey,
  revokeKey,
  type ApiKeyRow,
  type IssuedKey,
} from './api-keys.repository';
import type { Caller } from './caller';
import type { Customer } from './customer';

/** What rotating gives: the new key, told this once, and what became of the old one. */
export interface RotatedKey extends IssuedKey {
  readonly mode: KeyMode;
  readonly replaced: ApiKeyRow;
}

/** Customers and their keys. */
@Injectable()
export class ApiKeysService {
  /** Look-ups that wait for a connection, by hash. */
  private readonly waiting = new Map<string, Promise<Awaited<ReturnType<typeof findKeyByHash>>>>();

  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Who a key belongs to; undefined when it is unknown, revoked or expired. */
  async findCaller(key: string): Promise<Caller | undefined> {
    const hash = hashKey(key);
    const row = await this.lookUp(hash);
    if (row === undefined || !sameHash(row.hash, hash)) return undefined;
    return { customer: { id: row.customer_id, kind: row.kind }, mode: row.mode, keyId: row.id };
  }

  // Requests under one key share a look-up that has not begun yet, so a flood of them does not make those under other
  // keys wait. One that has begun may have missed that the key was revoked meanwhile.
  private lookUp(hash: string) {
    const name = hash;
    const known = this.waiting.get(name);
    if (known !== undefined) return known;
    const looking = this.unitOfWork
      .run(
        (store) => {
          this.waiting.delete(name);
          return findKeyByHash(store, hash);
        },
        { readOnly: true },
      )
      .finally(() => {
        if (this.waiting.get(name) === looking) this.waiting.delete(name);
      });
    this.waiting.set(name, looking);
    return looking;
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
      const customer = await getCustomer(store, customerId);
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
        await getCustomer(store, customerId);
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
    if (row === undefined) throw noKey(keyId);
    return row;
  }

  /**
   * Replaces a key by a new one of the same customer and mode. The old one stays valid for a while, in which its users
   * change over. A key is replaced once: its end, once set, is a promise to them, and only revoking makes it earlier.
   *
   * @param overlap milliseconds that the old key stays valid; 0 revokes it
   * @throws ApiError NOT_FOUND without such a key, CONFLICT_ERROR for a key of a demo session and one that has an end
   */
  rotate(keyId: string, overlap: number): Promise<RotatedKey> {
    return this.unitOfWork.run(async (store) => {
      const old = await lockKey(store, keyId);
      if (old === undefined) throw noKey(keyId);
      const hindrance = whyNotRotated(old);
      if (hindrance !== undefined) throw new ApiError('CONFLICT_ERROR', `Key ${keyId} ${hindrance}`);
      const replaced = await (overlap === 0 ? revokeKey(store, keyId) : expireKey(store, keyId, overlap));
      if (replaced === undefined) throw noKey(keyId);
      return { ...(await insertKey(store, old.customer_id, old.mode)), mode: old.mode, replaced };
    });
  }
}

/** Completes "Key … ". */
function whyNotRotated(key: ApiKeyRow & { readonly expired: boolean }): string | undefined {
  if (key.mode === 'demo') return 'belongs to a demo session; open another session instead';
  if (key.revoked_at !== null) {
    return `was revoked at ${key.revoked_at.toISOString()}; issue a new key instead`;
  }
  if (key.expires_at === null) return undefined;
  const end = key.expires_at.toISOString();
  if (key.expired) return `expired at ${end}; issue a new key instead`;
  return `has been rotated already and ends at ${end}; revoke it to end it sooner`;
}

/**
 * The customer of an ID.
 *
 * @throws ApiError NOT_FOUND without such a customer
 */
export async function getCustomer(store: Store, customerId: string): Promise<Customer> {
  const customer = await findCustomer(store, customerId);
  if (customer === undefined) throw new ApiError('NOT_FOUND', `No customer with ID ${customerId}`);
  return customer;
}

function noKey(keyId: string): ApiError {
  return new ApiError('NOT_FOUND', `No key with ID ${keyId}`);
}
