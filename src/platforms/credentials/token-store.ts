import { Injectable } from '@nestjs/common';
import type { JsonObject, PlatformName } from '@app/mapper';
import { CustomerDeleted } from '../../database/transaction/customer-deleted';
import { FOREIGN_KEY_VIOLATION, sqlStateOf } from '../../database/connection/database-errors';
import { UnitOfWork } from '../../database/transaction/unit-of-work';
import { dropToken, findToken, releaseTokenLease, saveToken, takeTokenLease } from './credentials.repository';
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
  /** The settings of the credentials that it was given for. */
  readonly settings: JsonObject;
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

/** The data with which the holder of the lease requests a token. */
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
    const row = await this.unitOfWork.runFor(customerId, (tx) => findToken(tx, platform), { readOnly: true });
    if (row === undefined) return undefined;
    const { generation, settings, usableFor } = row;
    const value = openText(this.keys, placeOf(owner), row, 'access_token', row.sealedAccessToken);
    return { value, generation, settings, usableFor };
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
      .runFor(customerId, (tx) => takeTokenLease(tx, owner.platform, holder, lease))
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
    return this.unitOfWork.runFor(customerId, (tx) =>
      saveToken(tx, platform, holder, {
        access: envelope.seal('access_token', accessToken),
        refresh: refreshToken === undefined ? null : envelope.seal('refresh_token', refreshToken),
        key: envelope.key,
        usableFor,
      }),
    );
  }

  /** Releases the lease without a token. */
  async release({ customerId, platform }: TokenOwner, holder: string): Promise<void> {
    await this.unitOfWork.runFor(customerId, (tx) => releaseTokenLease(tx, platform, holder));
  }

  /** Deletes one access token, but no later one. */
  async drop({ customerId, platform }: TokenOwner, generation: number): Promise<void> {
    await this.unitOfWork.runFor(customerId, (tx) => dropToken(tx, platform, generation));
  }
}

function placeOf({ customerId, platform }: TokenOwner): SealedPlace {
  return { table: 'platform_tokens', customerId, row: platform };
}
