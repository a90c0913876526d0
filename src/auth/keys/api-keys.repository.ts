import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Raw, type Repository, type FindOptionsWhere } from 'typeorm';
import { ApiError } from '../../common/errors/api-error';
import { ApiKeyRow } from '../../database/entities/api-key.entity';
import { countsByCustomer } from '../../database/transaction/counts-by-customer';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import type { KeyMode } from './api-key';
import type { Permission } from './permissions';

/** A key after it was issued, without its secret. */
export type StoredKey = Readonly<Omit<ApiKeyRow, 'hash'>>;

/** The facts about a valid key that a request needs. */
export interface KeyInUse {
  readonly id: string;
  readonly customer_id: string;
  readonly mode: KeyMode;
  readonly permissions: readonly Permission[];
  readonly has_own_fields: boolean;
  /** Milliseconds for which the key is still valid, limited to the number that the caller requested. */
  readonly lifetime: number;
}

/** The table of API keys. */
@Injectable()
export class ApiKeysRepository {
  constructor(@InjectRepository(ApiKeyRow) private readonly rows: Repository<ApiKeyRow>) {}

  /**
   * A valid key by its hash, by the database's clock; undefined when it is unknown, revoked or expired.
   *
   * @param most milliseconds: the longest lifetime in the result
   */
  async findInUse(store: Store, hash: string, most: number): Promise<KeyInUse | undefined> {
    const [row] = await store.query<KeyInUse>(keyInUse, [hash, most]);
    return row;
  }

  async insert(
    store: Store,
    key: Pick<
      ApiKeyRow,
      'id' | 'customerId' | 'mode' | 'permissions' | 'label' | 'hash' | 'hint' | 'hasOwnFields'
    >,
  ): Promise<void> {
    await this.bound(store).insert(key);
  }

  /** The keys of a customer, oldest first, including revoked and expired ones. */
  list(tx: CustomerTransaction): Promise<StoredKey[]> {
    return this.bound(tx.store).find({
      where: { customerId: tx.customerId },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
  }

  /** @throws ApiError NOT_FOUND if the key does not exist */
  async get(store: Store, keyId: string, lock?: { readonly mode: 'pessimistic_write' }): Promise<StoredKey> {
    const row = await this.bound(store).findOne({ where: { id: keyId }, ...(lock && { lock }) });
    if (row === null) throw new ApiError('NOT_FOUND', `No key with ID ${keyId}`);
    return row;
  }

  hasExpired(store: Store, keyId: string): Promise<boolean> {
    return this.bound(store).existsBy({ id: keyId, expiresAt: Raw((column) => `${column} <= now()`) });
  }

  /** Revokes a key now. A key that is revoked already keeps its time. */
  async end(store: Store, keyId: string): Promise<void> {
    await this.bound(store).update({ id: keyId, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
  }

  /** Lets a key expire after some milliseconds. */
  async endIn(store: Store, keyId: string, milliseconds: number): Promise<void> {
    await this.bound(store)
      .createQueryBuilder()
      .update({ expiresAt: () => `now() + :milliseconds * interval '1 millisecond'` })
      .where({ id: keyId })
      .setParameters({ milliseconds })
      .execute();
  }

  /** Stores with the customer's keys whether the customer has own fields. @returns whether a key has changed */
  async setHaveOwnFields(tx: CustomerTransaction, hasOwnFields: boolean): Promise<boolean> {
    const { affected } = await this.bound(tx.store).update(
      { customerId: tx.customerId, hasOwnFields: !hasOwnFields },
      { hasOwnFields },
    );
    return affected !== 0;
  }

  /** Deletes the keys of the customer. */
  async deleteAll(tx: CustomerTransaction): Promise<void> {
    await this.bound(tx.store).delete({ customerId: tx.customerId });
  }

  /** The number of valid keys of each customer. Customers without one are left out. */
  countInUse(store: Store): Promise<ReadonlyMap<string, number>> {
    return countsByCustomer(this.bound(store), keysInUse);
  }

  private bound(store: Store): Repository<ApiKeyRow> {
    return store.manager.withRepository(this.rows);
  }
}

const keyInUse = `
  select id, customer_id, mode, permissions, has_own_fields,
    (extract(epoch from least(expires_at, statement_timestamp() + $2 * interval '1 millisecond') - statement_timestamp())
      * 1000)::float8 as lifetime
  from api_keys
  where hash = $1 and revoked_at is null and (expires_at is null or expires_at > statement_timestamp())`;

/** Selects the valid keys: not revoked, and not expired by the database's clock. */
const keysInUse: FindOptionsWhere<ApiKeyRow>[] = [
  { revokedAt: IsNull(), expiresAt: IsNull() },
  { revokedAt: IsNull(), expiresAt: Raw((column) => `${column} > now()`) },
];
