import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { randomUUID } from 'node:crypto';
import { IsNull, Raw, type Repository } from 'typeorm';
import { ApiKeyRow } from '../database/entities/api-key.entity';
import { UnitOfWork, type Store } from '../database/unit-of-work';
import { ApiError } from '../errors/api-error';
import { generateKey, hashKey, hintOf, type KeyMode } from './api-key';
import type { Caller } from './caller';
import { getCustomer } from './customers.service';
import { keysInUse } from './key-in-use';

/** What is known of a key once it has been issued. */
export type StoredKey = Readonly<Omit<ApiKeyRow, 'hash'>>;

/** A key as its owner gets it, once. */
export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

/** What rotating gives: the new key, shown this once, and what became of the old one. */
export interface RotatedKey extends IssuedKey {
  readonly mode: KeyMode;
  readonly replaced: StoredKey;
}

/** The keys of customers. */
@Injectable()
export class ApiKeysService {
  /** Look-ups that wait for a connection, by hash. */
  private readonly waiting = new Map<string, Promise<ApiKeyRow | null>>();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    @InjectRepository(ApiKeyRow) private readonly keys: Repository<ApiKeyRow>,
  ) {}

  /**
   * Who a key belongs to; undefined when it is unknown, revoked or expired. Only the keys are read, which need not be on
   * the customer's server: a demo key belongs to a demo customer, any other to one of the operator's.
   */
  async findCaller(key: string): Promise<Caller | undefined> {
    const hash = hashKey(key);
    const row = await this.lookUp(hash);
    if (row === null) return undefined;
    const { id: keyId, customerId: id, mode } = row;
    return { customer: { id, kind: mode === 'demo' ? 'demo' : 'standard' }, mode, keyId };
  }

  // Requests under one key share a look-up that has not begun yet, so a flood of them does not make those under other
  // keys wait. One that has begun may have missed that the key was revoked meanwhile.
  private lookUp(hash: string): Promise<ApiKeyRow | null> {
    const known = this.waiting.get(hash);
    if (known !== undefined) return known;
    const looking = this.unitOfWork
      .run(
        (store) => {
          this.waiting.delete(hash);
          return this.rows(store).findOne({ where: keysInUse({ hash }) });
        },
        { readOnly: true },
      )
      .finally(() => {
        if (this.waiting.get(hash) === looking) this.waiting.delete(hash);
      });
    this.waiting.set(hash, looking);
    return looking;
  }

  /**
   * Issues a new key to a customer. The key is shown this once.
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
      return this.insert(store, customerId, mode);
    });
  }

  /** Makes a key within the caller's transaction, and stores its hash. */
  async insert(store: Store, customerId: string, mode: KeyMode): Promise<IssuedKey> {
    const id = randomUUID();
    const key = generateKey(mode);
    await this.rows(store).insert({ id, customerId, mode, hash: hashKey(key), hint: hintOf(key) });
    return { id, key };
  }

  /**
   * The keys of a customer, oldest first, void ones included.
   *
   * @throws ApiError NOT_FOUND without such a customer
   */
  list(customerId: string): Promise<StoredKey[]> {
    return this.unitOfWork.run(
      async (store) => {
        await getCustomer(store, customerId);
        return this.rows(store).find({ where: { customerId }, order: { createdAt: 'ASC', id: 'ASC' } });
      },
      { readOnly: true },
    );
  }

  /**
   * Revokes a key, at once and for good. The time of a revocation stays when the key is revoked again.
   *
   * @throws ApiError NOT_FOUND without such a key
   */
  revoke(keyId: string): Promise<StoredKey> {
    return this.unitOfWork.run(async (store) => {
      await this.end(store, keyId);
      return this.get(store, keyId);
    });
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
      // Locked, so that nobody else ends the key meanwhile.
      const old = await this.get(store, keyId, { mode: 'pessimistic_write' });
      const hindrance = whyNotRotated(old, await this.hasExpired(store, keyId));
      if (hindrance !== undefined) throw new ApiError('CONFLICT_ERROR', `Key ${keyId} ${hindrance}`);
      await (overlap === 0 ? this.end(store, keyId) : this.endIn(store, keyId, overlap));
      const replaced = await this.get(store, keyId);
      return { ...(await this.insert(store, old.customerId, old.mode)), mode: old.mode, replaced };
    });
  }

  /** Deletes the keys of a customer that is being deleted, within the caller's transaction. */
  async removeAll(store: Store, customerId: string): Promise<void> {
    await this.rows(store).delete({ customerId });
  }

  private rows(store: Store): Repository<ApiKeyRow> {
    return store.manager.withRepository(this.keys);
  }

  private async get(
    store: Store,
    keyId: string,
    lock?: { readonly mode: 'pessimistic_write' },
  ): Promise<StoredKey> {
    const row = await this.rows(store).findOne({ where: { id: keyId }, ...(lock && { lock }) });
    if (row === null) throw new ApiError('NOT_FOUND', `No key with ID ${keyId}`);
    return row;
  }

  private hasExpired(store: Store, keyId: string): Promise<boolean> {
    return this.rows(store).existsBy({ id: keyId, expiresAt: Raw((column) => `${column} <= now()`) });
  }

  private async end(store: Store, keyId: string): Promise<void> {
    await this.rows(store).update({ id: keyId, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
  }

  private async endIn(store: Store, keyId: string, milliseconds: number): Promise<void> {
    await this.rows(store)
      .createQueryBuilder()
      .update({ expiresAt: () => `now() + :milliseconds * interval '1 millisecond'` })
      .where({ id: keyId })
      .setParameters({ milliseconds })
      .execute();
  }
}

/** Completes "Key … ". */
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
