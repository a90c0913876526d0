import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { CustomerTransaction } from '../database/transaction/store';
import { UnitOfWork } from '../database/transaction/unit-of-work';
import { ApiError } from '../common/errors/api-error';
import { loadTerms } from '../records/terms/terms.repository';
import { generateKey, hashKey, hintOf, type KeyMode } from './keys/api-key';
import { DEFAULT_PERMISSIONS, type Permission } from './keys/permissions';
import { CallerCache } from './callers/caller-cache';
import { ApiKeysRepository, type StoredKey } from './keys/api-keys.repository';
import { getCustomer, lockForTerms } from './customers/customers.repository';
import { announceKeyChange } from './keys/key-changes.repository';

/** A new key with its secret, which is returned only once. */
export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

/** What an operator chooses for a new key. */
export interface KeyTerms {
  readonly mode: KeyMode;
  /** All but `passthrough` unless given. */
  readonly permissions?: readonly Permission[];
  readonly label?: string | null;
}

/** The result of a rotation: the new key, whose secret is returned only once, and the state of the old key. */
export interface RotatedKey extends IssuedKey {
  readonly replaced: StoredKey;
}

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly callers: CallerCache,
    private readonly keys: ApiKeysRepository,
  ) {}

  /**
   * Issues a new key to a customer. Its secret is returned only once.
   *
   * @throws UnknownCustomer; ApiError CONFLICT_ERROR for a demo customer, whose key comes from
   *   its session
   */
  issue(
    customerId: string,
    mode: Exclude<KeyMode, 'demo'>,
    terms: Omit<KeyTerms, 'mode'> = {},
  ): Promise<IssuedKey> {
    return this.unitOfWork.run(async (store) => {
      const customer = await getCustomer(store.forCustomer(customerId));
      if (customer.kind === 'demo') {
        throw new ApiError(
          'CONFLICT_ERROR',
          `Customer ${customerId} is a demo session; its key cannot be added to`,
        );
      }
      // The lock orders this against the definition of an own field: either that marks the new key, or this finds the
      // field among the terms.
      await lockForTerms(store.forCustomer(customerId));
      return this.insert(store.forCustomer(customerId), { ...terms, mode });
    });
  }

  /**
   * Generates a key and stores its hash, in the caller's transaction, which has called {@link lockForTerms} or inserted
   * the customer.
   */
  async insert(
    tx: CustomerTransaction,
    { mode, permissions = DEFAULT_PERMISSIONS, label = null }: KeyTerms,
  ): Promise<IssuedKey> {
    const id = randomUUID();
    const key = generateKey(mode);
    // The terms decide, not the other keys, because the first key has no other keys. A new demo session has no own
    // fields.
    const hasOwnFields = mode !== 'demo' && (await loadTerms(tx)).own !== undefined;
    await this.keys.insert(tx.store, {
      id,
      customerId: tx.customerId,
      mode,
      permissions: [...permissions],
      label,
      hash: hashKey(key),
      hint: hintOf(key),
      hasOwnFields,
    });
    return { id, key };
  }

  /**
   * The keys of a customer, oldest first, including revoked and expired ones.
   *
   * @throws UnknownCustomer
   */
  list(customerId: string): Promise<StoredKey[]> {
    return this.unitOfWork.run(
      async (store) => {
        const tx = store.forCustomer(customerId);
        await getCustomer(tx);
        return this.keys.list(tx);
      },
      { readOnly: true },
    );
  }

  /**
   * Revokes a key, at once and permanently. A second revocation keeps the time of the first.
   *
   * @throws ApiError NOT_FOUND if the key does not exist
   */
  async revoke(keyId: string): Promise<StoredKey> {
    const revoked = await this.unitOfWork.run(async (store) => {
      await this.keys.end(store, keyId);
      const key = await this.keys.get(store, keyId);
      await announceKeyChange(store.forCustomer(key.customerId));
      return key;
    });
    this.forget(revoked.customerId);
    return revoked;
  }

  /**
   * Replaces a key by a new key with the same customer, mode, permissions and label. The old key stays valid for a
   * while, so that its users can switch. A key is replaced only once: its end is a promise to its users, and only a
   * revocation makes it earlier.
   *
   * @param overlap milliseconds for which the old key stays valid; 0 revokes it
   * @throws ApiError NOT_FOUND if the key does not exist, CONFLICT_ERROR for a key of a demo session and for a key that
   *   already has an end
   */
  async rotate(keyId: string, overlap: number): Promise<RotatedKey> {
    const rotated = await this.unitOfWork.run(async (store) => {
      const { customerId } = await this.keys.get(store, keyId);
      // As in {@link issue}. The customer is locked before its keys, as in the definition of an own field.
      await lockForTerms(store.forCustomer(customerId));
      // Locked, so that no other transaction ends the key meanwhile.
      const old = await this.keys.get(store, keyId, { mode: 'pessimistic_write' });
      const hindrance = whyNotRotated(old, await this.keys.hasExpired(store, keyId));
      if (hindrance !== undefined) throw new ApiError('CONFLICT_ERROR', `Key ${keyId} ${hindrance}`);
      await (overlap === 0 ? this.keys.end(store, keyId) : this.keys.endIn(store, keyId, overlap));
      await announceKeyChange(store.forCustomer(old.customerId));
      const replaced = await this.keys.get(store, keyId);
      return { ...(await this.insert(store.forCustomer(old.customerId), old)), replaced };
    });
    this.forget(rotated.replaced.customerId);
    return rotated;
  }

  /**
   * Deletes the keys of a customer that is being deleted, within the caller's transaction. This instance refuses the
   * keys once the caller has called {@link forget}, which must happen after the commit.
   */
  async removeAll(tx: CustomerTransaction): Promise<void> {
    await this.keys.deleteAll(tx);
    await announceKeyChange(tx);
  }

  /**
   * Stores with the keys of a customer whether it has own fields, in the caller's transaction and after
   * {@link lockForTerms}. This instance uses the new value once the caller has called {@link forget}, after the commit.
   */
  async markOwnFields(tx: CustomerTransaction, hasOwnFields: boolean): Promise<void> {
    if (await this.keys.setHaveOwnFields(tx, hasOwnFields)) await announceKeyChange(tx);
  }

  /** Drops the customer's keys from the cache, so that the next requests to this instance look them up again. */
  forget(customerId: string): void {
    this.callers.forget(customerId);
  }
}

/** Completes the sentence "Key … ". */
function whyNotRotated(key: StoredKey, isExpired: boolean): string | undefined {
  if (key.mode === 'demo') return 'belongs to a demo session; open another session instead';
  if (key.revokedAt !== null) {
    return `was revoked at ${key.revokedAt.toISOString()}; issue a new key instead`;
  }
  if (key.expiresAt === null) return undefined;
  const end = key.expiresAt.toISOString();
  if (isExpired) return `expired at ${end}; issue a new key instead`;
  return `has been rotated already and ends at ${end}; revoke it to end it sooner`;
}
