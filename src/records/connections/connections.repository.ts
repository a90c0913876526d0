import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { stringifyJson, type JsonObject, type PlatformName } from '@app/mapper';
import { ConnectionRow } from '../../database/entities/connection.entity';
import { countsByCustomer } from '../../database/transaction/counts-by-customer';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import type { Connection, ConnectionMode } from '../../platforms/connector';
import { sourceOf } from '../../platforms/credentials/company';

/** The source of the records of each connected platform, see `sourceOf`; null if it is not known. */
export type Sources = Readonly<Record<string, string | null>>;

/** The table of connections: platforms whose records a customer has read. */
@Injectable()
export class ConnectionsRepository {
  constructor(@InjectRepository(ConnectionRow) private readonly rows: Repository<ConnectionRow>) {}

  /** The connections of the customer. */
  list(tx: CustomerTransaction): Promise<ConnectionRow[]> {
    return this.bound(tx.store).findBy({ customerId: tx.customerId });
  }

  /** The connection through which the stored records of a live platform were read; null when there is none. */
  findLive(tx: CustomerTransaction, platform: PlatformName): Promise<ConnectionRow | null> {
    return this.bound(tx.store).findOneBy({
      customerId: tx.customerId,
      platform: platform as string,
      mode: 'live',
    });
  }

  /** Where the stored records of each platform were read from. */
  async sources(tx: CustomerTransaction): Promise<Sources> {
    const connections = await this.list(tx);
    return Object.fromEntries(
      connections.map(({ platform, mode, readWith }) => [platform, sourceOf(mode, readWith)]),
    );
  }

  /** Attributes the stored records to the company of these settings from now on. */
  async setReadWith(tx: CustomerTransaction, platform: PlatformName, settings: JsonObject): Promise<void> {
    await tx.query('update connections set read_with = $3 where customer_id = $1 and platform = $2', [
      platform,
      stringifyJson(settings),
    ]);
  }

  async delete(tx: CustomerTransaction, platform: PlatformName): Promise<void> {
    await this.bound(tx.store).delete({ customerId: tx.customerId, platform });
  }

  /** The number of connections of each customer. Customers without one are left out. */
  countByCustomer(store: Store): Promise<ReadonlyMap<string, number>> {
    return countsByCustomer(this.bound(store));
  }

  private bound(store: Store): Repository<ConnectionRow> {
    return store.manager.withRepository(this.rows);
  }
}

/** The last reading of a platform. */
export interface LastRead {
  /** The database's text of a time. */
  readonly syncedAt: string;
  readonly mode: ConnectionMode;
  /** ISO 4217. */
  readonly currency: string;
  /** The settings that the platform was read with, as JSON text; null for a sandbox. */
  readonly readWith: string | null;
}

/** The last reading of a platform; undefined before its first connect. */
export async function readConnection(
  tx: CustomerTransaction,
  platform: PlatformName,
): Promise<LastRead | undefined> {
  const [row] = await tx.query<LastRead>(
    `select synced_at::text as "syncedAt", mode, currency, read_with::text as "readWith" from connections
     where customer_id = $1 and platform = $2`,
    [platform],
  );
  return row;
}

/**
 * Stores when a platform's records were read, and with which settings (JSON text; null for a sandbox).
 *
 * @param total the number of stored records
 */
export async function saveConnection(
  tx: CustomerTransaction,
  { platform, mode }: Connection,
  {
    total,
    currency,
    readWith,
    at,
  }: {
    readonly total: number;
    readonly currency: string;
    readonly readWith: string | null;
    readonly at: string;
  },
): Promise<void> {
  await tx.query(
    `insert into connections (customer_id, platform, mode, connected_at, synced_at, entities_synced, currency, read_with)
     values ($1, $2, $5, $7::timestamptz, now(), $3, $4, $6)
     on conflict (customer_id, platform)
     do update set synced_at = excluded.synced_at, entities_synced = excluded.entities_synced, currency = excluded.currency,
       mode = excluded.mode, read_with = excluded.read_with`,
    [platform, total, currency, mode, readWith, at],
  );
}

/**
 * Locks the customer's row against deletion, as inserting a row with a foreign key to it does. Taking the lock first
 * rules out a deadlock.
 */
export async function lockCustomerRow(tx: CustomerTransaction): Promise<void> {
  await tx.query('select 1 from customers where id = $1 for key share');
}
