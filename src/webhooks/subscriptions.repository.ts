import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Any, type Repository } from 'typeorm';
import { WebhookSubscriptionRow } from '../database/entities/webhook-subscription.entity';
import { subscriptionStates } from './subscription-states';
import { isPlatformName } from '@app/mapper';
import type { ConnectionName } from '../platforms/connector';
import type { CustomerTransaction, Store } from '../database/transaction/store';
import type { KnownSubscription } from './plan';

/** The connection of an address, and what proves a call to it. */
export interface Receiver extends ConnectionName {
  /** SHA-256 in hex. */
  readonly secretHash: string;
  /** Whether the platform may now verify the address. */
  readonly isHandshake: boolean;
}

/** The receiver at an address. Reads only one table, which works on a distributed database too. */
export async function findReceiver(store: Store, addressHash: string): Promise<Receiver | undefined> {
  const [row] = await store.query<{
    customer_id: string;
    platform: string;
    secret_hash: string;
    is_handshake: boolean;
  }>(
    `select customer_id, platform, secret_hash, handshake_until is not null and handshake_until > now() as is_handshake
     from webhook_subscriptions where address_hash = $1`,
    [addressHash],
  );
  if (row === undefined || !isPlatformName(row.platform)) return undefined;
  return {
    customerId: row.customer_id,
    platform: row.platform,
    secretHash: row.secret_hash,
    isHandshake: row.is_handshake,
  };
}

/** The table of subscriptions to live platforms. */
@Injectable()
export class SubscriptionsRepository {
  constructor(
    @InjectRepository(WebhookSubscriptionRow) private readonly rows: Repository<WebhookSubscriptionRow>,
  ) {}

  /** The stored subscriptions of a connection. */
  async known(tx: CustomerTransaction, { platform }: ConnectionName): Promise<readonly KnownSubscription[]> {
    return tx.store.manager.withRepository(this.rows).find({
      select: { addressHash: true, isConfirmed: true },
      where: { customerId: tx.customerId, platform: platform as string },
    });
  }

  /** The addresses that a subscription of any connection uses. */
  async addressesInUse(store: Store, hashes: readonly string[]): Promise<ReadonlySet<string>> {
    if (hashes.length === 0) return new Set();
    const rows = await store.manager
      .withRepository(this.rows)
      .find({ select: { addressHash: true }, where: { addressHash: Any(hashes) } });
    return new Set(rows.map(({ addressHash }) => addressHash));
  }

  /**
   * Stores a subscription before it is created at the platform.
   *
   * @param handshake milliseconds in which the platform may verify the address
   */
  async begin(
    tx: CustomerTransaction,
    { platform }: ConnectionName,
    {
      topic,
      addressHash,
      secretHash,
    }: { readonly topic: string; readonly addressHash: string; readonly secretHash: string },
    handshake: number,
  ): Promise<void> {
    await tx.query(
      `insert into webhook_subscriptions (customer_id, platform, topic, address_hash, secret_hash, handshake_until)
       values ($1, $2, $3, $4, $5, now() + $6 * interval '1 millisecond')`,
      [platform, topic, addressHash, secretHash, handshake],
    );
  }

  /** Starts the period in which the platform may verify an address. */
  async beginHandshake(
    tx: CustomerTransaction,
    { platform }: ConnectionName,
    addressHash: string,
    handshake: number,
  ): Promise<void> {
    await tx.query(
      `update webhook_subscriptions set handshake_until = now() + $4 * interval '1 millisecond'
       where customer_id = $1 and platform = $2 and address_hash = $3 and ${subscriptionStates.before('verifying')}`,
      [platform, addressHash, handshake],
    );
  }

  /**
   * Ends the period of the handshake.
   *
   * @param isConfirmed whether the platform has confirmed the subscription
   */
  async endHandshake(
    tx: CustomerTransaction,
    { platform }: ConnectionName,
    addressHash: string,
    isConfirmed: boolean,
  ): Promise<void> {
    await tx.query(
      `update webhook_subscriptions set handshake_until = null, is_confirmed = is_confirmed or $4
       where customer_id = $1 and platform = $2 and address_hash = $3
         and ${subscriptionStates.before(isConfirmed ? 'confirmed' : 'unconfirmed')}`,
      [platform, addressHash, isConfirmed],
    );
  }

  /**
   * Deletes subscriptions of a connection.
   *
   * @param hashes of their addresses; absent for all subscriptions of the connection
   */
  async forget(
    tx: CustomerTransaction,
    { platform }: ConnectionName,
    hashes?: readonly string[],
  ): Promise<void> {
    await tx.store.manager.withRepository(this.rows).delete({
      customerId: tx.customerId,
      platform: platform as string,
      ...(hashes && { addressHash: Any(hashes) }),
    });
  }
}
