import { Injectable } from '@nestjs/common';
import type { PlatformName } from '@app/mapper';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { FOREIGN_KEY_VIOLATION, sqlStateOf } from '../../database/connection/database-errors';
import type { CustomerTransaction } from '../../database/transaction/customer-transaction';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { newEnvelope, openText, type SealedPlace } from './envelope';
import { MasterKeys } from './master-keys';

/** Names the connection that a token is for. */
export interface TokenOwner {
  readonly customerId: string;
  readonly platform: PlatformName;
}

/** A stored token that can be used. */
export interface StoredToken {
  readonly value: string;
  readonly generation: number;
  /** Milliseconds, by the database's clock. */
  readonly usableFor: number;
}

/** A token from the platform. */
export interface NewToken {
  readonly accessToken: string;
  /** Milliseconds for which it may be used, from now. */
  readonly usableFor: number;
  readonly refreshToken?: string | undefined;
}

/** What the holder of the lease needs to request a token. */
export interface Claimed {
  readonly refreshToken: string | undefined;
}

/** The connection has no credentials any more. */
export class CredentialsGone extends Error {
  override readonly name = 'CredentialsGone';
}

/**
 * Stores the sealed tokens of live connections for all instances, and the lease of the instance that requests the
 * next token. The lease is a row with its holder and its end. Waiting for it holds no database connection, and it
 * expires if its holder crashes.
 */
@Injectable()
export class TokenStore {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly keys: MasterKeys,
  ) {}

  /** The token of a connection; undefined if there is no usable one. */
  async find(owner: TokenOwner): Promise<StoredToken | undefined> {
    const { customerId, platform } = owner;
    const [row] = await this.unitOfWork.read<{
      sealed_access_token: Buffer;
      sealed_key: Buffer;
      master_key_id: string;
      generation: number;
      usable_for: number;
    }>(
      `select sealed_access_token, sealed_key, master_key_id, generation::float8 as generation,
         (extract(epoch from expires_at - now()) * 1000)::float8 as usable_for
       from platform_tokens
       where customer_id = $1 and platform = $2 and sealed_access_token is not null and expires_at > now()`,
      [customerId, platform],
      { customerId },
    );
    if (row === undefined) return undefined;
    const key = { masterKeyId: row.master_key_id, sealedKey: row.sealed_key };
    const value = openText(this.keys, placeOf(owner), key, 'access_token', row.sealed_access_token);
    return { value, generation: row.generation, usableFor: row.usable_for };
  }

  /**
   * Takes the lease if it is free and there is still no usable token.
   *
   * @param lease milliseconds
   * @throws CredentialsGone
   */
  async claim(owner: TokenOwner, holder: string, lease: number): Promise<Claimed | undefined> {
    const { customerId } = owner;
    const [row] = await this.unitOfWork
      .runFor(customerId, (tx) => takeLease(tx, owner, holder, lease))
      .catch((error: unknown) => {
        const isGone = error instanceof CustomerDeleted || sqlStateOf(error) === FOREIGN_KEY_VIOLATION;
        throw isGone ? new CredentialsGone() : error;
      });
    if (row === undefined) return undefined;
    const { sealed_refresh_token: sealed, sealed_key: sealedKey, master_key_id: masterKeyId } = row;
    if (sealed === null || sealedKey === null || masterKeyId === null) return { refreshToken: undefined };
    const key = { masterKeyId, sealedKey };
    return { refreshToken: openText(this.keys, placeOf(owner), key, 'refresh_token', sealed) };
  }

  /**
   * Stores a token and releases the lease.
   *
   * @returns the token's generation; undefined if another instance holds the lease by now or the credentials were
   *   changed. The token is then discarded
   */
  async save(owner: TokenOwner, holder: string, token: NewToken): Promise<number | undefined> {
    const { customerId, platform } = owner;
    const { accessToken, refreshToken, usableFor } = token;
    const envelope = newEnvelope(this.keys.first, placeOf(owner));
    // A generation is a time where it can be: a row that is made anew does not count from the beginning.
    const rows = await this.unitOfWork.runFor(customerId, (tx) =>
      tx.query<{ generation: number }>(
        `update platform_tokens set sealed_access_token = $4, sealed_refresh_token = $5, sealed_key = $6,
             master_key_id = $7, expires_at = now() + $8 * interval '1 millisecond',
             generation = greatest(generation + 1, (extract(epoch from now()) * 1000)::bigint),
             lease_owner = null, lease_until = null
           where customer_id = $1 and platform = $2 and lease_owner = $3
           returning generation::float8 as generation`,
        [
          platform,
          holder,
          envelope.seal('access_token', accessToken),
          refreshToken === undefined ? null : envelope.seal('refresh_token', refreshToken),
          envelope.key.sealedKey,
          envelope.key.masterKeyId,
          usableFor,
        ],
      ),
    );
    return rows[0]?.generation;
  }

  /** Releases the lease without a token. */
  async release({ customerId, platform }: TokenOwner, holder: string): Promise<void> {
    await this.unitOfWork.runFor(customerId, (tx) =>
      tx.query(
        `update platform_tokens set lease_owner = null, lease_until = null
           where customer_id = $1 and platform = $2 and lease_owner = $3`,
        [platform, holder],
      ),
    );
  }

  /** Deletes one access token, but no later one. */
  async drop({ customerId, platform }: TokenOwner, generation: number): Promise<void> {
    await this.unitOfWork.runFor(customerId, (tx) =>
      tx.query(
        `update platform_tokens set sealed_access_token = null, expires_at = null
           where customer_id = $1 and platform = $2 and generation = $3`,
        [platform, generation],
      ),
    );
  }
}

function placeOf({ customerId, platform }: TokenOwner): SealedPlace {
  return { table: 'platform_tokens', customerId, platform };
}

interface LeasedRow {
  readonly sealed_refresh_token: Buffer | null;
  readonly sealed_key: Buffer | null;
  readonly master_key_id: string | null;
}

// Two statements in one round trip: a cluster lets no condition of `do update` ask for the time.
async function takeLease(
  tx: CustomerTransaction,
  { platform }: TokenOwner,
  holder: string,
  lease: number,
): Promise<readonly LeasedRow[]> {
  const [, rows] = await Promise.all([
    tx.query(
      'insert into platform_tokens (customer_id, platform) values ($1, $2) on conflict (customer_id, platform) do nothing',
      [platform],
    ),
    tx.query<LeasedRow>(
      `update platform_tokens set lease_owner = $3, lease_until = now() + $4 * interval '1 millisecond'
       where customer_id = $1 and platform = $2 and (lease_until is null or lease_until < now())
         and (sealed_access_token is null or expires_at <= now())
       returning sealed_refresh_token, sealed_key, master_key_id`,
      [platform, holder, lease],
    ),
  ]);
  return rows;
}
