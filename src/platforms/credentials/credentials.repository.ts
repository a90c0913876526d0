import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { isJsonObject, type JsonObject, type PlatformName } from '@app/mapper';
import { LiveConnectionRow } from '../../database/entities/live-connection.entity';
import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { ApiError } from '../../common/errors/api-error';
import { WebhookSchedulesRepository } from '../webhook-schedules.repository';
import type { SealedKey, SealedPlace } from './envelope';

/** Secrets as JSON, sealed, and the key that they are sealed with. */
export interface SealedSecrets {
  readonly key: SealedKey;
  readonly secrets: Buffer;
}

/** A row of credentials as it is stored. */
export interface StoredRow {
  readonly settings: JsonObject;
  readonly sealed: SealedSecrets;
  readonly changedAt: Date;
}

/** @throws ApiError NOT_FOUND without such a customer */
export async function kindOfCustomer(tx: CustomerTransaction): Promise<string> {
  const [row] = await tx.query<{ kind: string }>('select kind from customers where id = $1');
  if (row === undefined) throw new ApiError('NOT_FOUND', `No customer with ID ${tx.customerId}`);
  return row.kind;
}

/** The table of live connections: the credentials of each, one row for a customer and platform. */
@Injectable()
export class CredentialsRepository {
  constructor(
    @InjectRepository(LiveConnectionRow) private readonly rows: Repository<LiveConnectionRow>,
    private readonly webhooks: WebhookSchedulesRepository,
  ) {}

  /** Stores credentials in place of those there were. Tokens that were given for those go. */
  async save(
    tx: CustomerTransaction,
    platform: PlatformName,
    settings: JsonObject,
    sealed: SealedSecrets,
  ): Promise<void> {
    await tx.store.manager.withRepository(this.rows).upsert(
      {
        customerId: tx.customerId,
        platform,
        settings,
        sealedSecrets: sealed.secrets,
        ...sealed.key,
        changedAt: () => 'now()',
      },
      ['customerId', 'platform'],
    );
    // Also for an instance that is asking for a token now: it finds its lease gone, and begins again.
    await tx.query('delete from platform_tokens where customer_id = $1 and platform = $2', [platform]);
    this.webhooks.request(tx, platform);
  }

  /** The credentials of a connection; undefined when there are none. */
  async find(tx: CustomerTransaction, platform: PlatformName): Promise<StoredRow | undefined> {
    const row = await tx.store.manager
      .withRepository(this.rows)
      .findOneBy({ customerId: tx.customerId, platform: platform as string });
    if (row === null) return undefined;
    const { settings, sealedSecrets, sealedKey, masterKeyId, changedAt } = row;
    if (!isJsonObject(settings)) throw new Error('Stored credentials hold no JSON object');
    return { settings, sealed: { key: { sealedKey, masterKeyId }, secrets: sealedSecrets }, changedAt };
  }

  /** Removes credentials and their tokens; whether there were any. */
  async remove(tx: CustomerTransaction, platform: PlatformName): Promise<boolean> {
    const { affected } = await tx.store.manager
      .withRepository(this.rows)
      .delete({ customerId: tx.customerId, platform: platform as string });
    this.webhooks.request(tx, platform);
    return affected === 1;
  }
}

/**
 * By table with sealed rows: the column that identifies a row of a customer, and SQL for whether the service still opens
 * the row. Each of these tables also has the columns `sealed_key` and `master_key_id`.
 */
const sealedRows: Readonly<
  Record<SealedPlace['table'], { readonly column: 'platform' | 'id'; readonly isOpened: string }>
> = {
  live_connections: { column: 'platform', isOpened: 'true' },
  platform_tokens: { column: 'platform', isOpened: 'true' },
  // A replaced secret stays until the next rotation.
  webhook_secrets: { column: 'id', isOpened: '(ends_at is null or ends_at > now())' },
};

/** The tables with sealed rows. */
export const sealedTables = [
  'live_connections',
  'platform_tokens',
  'webhook_secrets',
] as const satisfies readonly SealedPlace['table'][];

/** A sealed key, and the row that it belongs to. */
export interface PlacedKey extends SealedKey {
  readonly place: SealedPlace;
}

/** The platforms to which the customer has live connections, by name. */
export async function platformsWithCredentials(tx: CustomerTransaction): Promise<readonly PlatformName[]> {
  const rows = await tx.query<{ platform: PlatformName }>(
    'select platform from live_connections where customer_id = $1 order by platform',
  );
  return rows.map(({ platform }) => platform);
}

/** The master keys that anything is sealed with that the service still opens. Reads across customers. */
export async function masterKeysInUse(store: Store): Promise<readonly string[]> {
  const used = new Set<string>();
  for (const table of sealedTables) {
    const rows = await store.query<{ id: string }>(
      `select distinct master_key_id as id from ${table} where master_key_id is not null and ${sealedRows[table].isOpened}`,
    );
    for (const { id } of rows) used.add(id);
  }
  return [...used].sort();
}

interface KeyRow {
  readonly customer_id: string;
  readonly row: string;
  readonly sealed_key: Buffer;
  readonly master_key_id: string;
}

/**
 * A page of rows that the service still opens, and with other master keys than one, by customer and row. Reads across
 * customers.
 *
 * @param after the last row of the page before
 */
export async function keysOtherThan(
  store: Store,
  table: SealedPlace['table'],
  masterKeyId: string,
  after: SealedPlace | undefined,
  limit: number,
): Promise<readonly PlacedKey[]> {
  const { column, isOpened } = sealedRows[table];
  const rows = await store.query<KeyRow>(
    `select customer_id, ${column} as row, sealed_key, master_key_id from ${table}
     where master_key_id <> $1 and ${isOpened} and ($2::uuid is null or (customer_id, ${column}) > ($2::uuid, $3))
     order by customer_id, ${column} limit $4`,
    [masterKeyId, after?.customerId ?? null, after?.row ?? '', limit],
  );
  return rows.map((row) => placed(table, row));
}

/** Some of the rows that the service still opens, and with one master key. Reads across customers. */
export async function someKeysOf(
  store: Store,
  table: SealedPlace['table'],
  masterKeyId: string,
  limit: number,
): Promise<readonly PlacedKey[]> {
  const { column, isOpened } = sealedRows[table];
  const rows = await store.query<KeyRow>(
    `select customer_id, ${column} as row, sealed_key, master_key_id from ${table}
     where master_key_id = $1 and ${isOpened} limit $2`,
    [masterKeyId, limit],
  );
  return rows.map((row) => placed(table, row));
}

function placed(table: SealedPlace['table'], row: KeyRow): PlacedKey {
  return {
    place: { table, customerId: row.customer_id, row: row.row },
    masterKeyId: row.master_key_id,
    sealedKey: row.sealed_key,
  };
}

/** Puts another seal on the data key of a row; not when the row was written anew meanwhile. */
export async function replaceKey(
  tx: CustomerTransaction,
  before: PlacedKey,
  after: SealedKey,
): Promise<boolean> {
  const { table, row } = before.place;
  const replaced = await tx.query(
    `update ${table} set sealed_key = $4, master_key_id = $5
     where customer_id = $1 and ${sealedRows[table].column} = $2 and sealed_key = $3 returning 1 as one`,
    [row, before.sealedKey, after.sealedKey, after.masterKeyId],
  );
  return replaced.length > 0;
}

/** A stored token that can be used, sealed. */
export interface SealedToken {
  readonly sealedAccessToken: Buffer;
  readonly sealedKey: Buffer;
  readonly masterKeyId: string;
  readonly generation: number;
  readonly settings: JsonObject;
  /** Milliseconds, by the database's clock. */
  readonly usableFor: number;
}

/** The token of a connection; undefined if there is no usable one. A change of the credentials deletes it. */
export async function findToken(
  tx: CustomerTransaction,
  platform: PlatformName,
): Promise<SealedToken | undefined> {
  const [row] = await tx.query<SealedToken>(
    `select t.sealed_access_token as "sealedAccessToken", t.sealed_key as "sealedKey", t.master_key_id as "masterKeyId",
       t.generation::float8 as generation, l.settings,
       (extract(epoch from t.expires_at - now()) * 1000)::float8 as "usableFor"
     from platform_tokens t
     join live_connections l on l.customer_id = t.customer_id and l.platform = t.platform
     where t.customer_id = $1 and t.platform = $2 and t.sealed_access_token is not null and t.expires_at > now()`,
    [platform],
  );
  return row;
}

/**
 * Stores a token and releases the lease.
 *
 * @returns the token's generation; undefined if another holder has the lease by now
 */
export async function saveToken(
  tx: CustomerTransaction,
  platform: PlatformName,
  holder: string,
  token: {
    readonly access: Buffer;
    readonly refresh: Buffer | null;
    readonly key: SealedKey;
    /** Milliseconds from now. */
    readonly usableFor: number;
  },
): Promise<number | undefined> {
  // A generation is a time where it can be: a row that is made anew does not count from the beginning.
  const [row] = await tx.query<{ generation: number }>(
    `update platform_tokens set sealed_access_token = $4, sealed_refresh_token = $5, sealed_key = $6,
       master_key_id = $7, expires_at = now() + $8 * interval '1 millisecond',
       generation = greatest(generation + 1, (extract(epoch from now()) * 1000)::bigint),
       lease_owner = null, lease_until = null
     where customer_id = $1 and platform = $2 and lease_owner = $3
     returning generation::float8 as generation`,
    [
      platform,
      holder,
      token.access,
      token.refresh,
      token.key.sealedKey,
      token.key.masterKeyId,
      token.usableFor,
    ],
  );
  return row?.generation;
}

/** Releases the lease without a token. */
export async function releaseTokenLease(
  tx: CustomerTransaction,
  platform: PlatformName,
  holder: string,
): Promise<void> {
  await tx.query(
    `update platform_tokens set lease_owner = null, lease_until = null
     where customer_id = $1 and platform = $2 and lease_owner = $3`,
    [platform, holder],
  );
}

/** Deletes one access token, but no later one. */
export async function dropToken(
  tx: CustomerTransaction,
  platform: PlatformName,
  generation: number,
): Promise<void> {
  await tx.query(
    `update platform_tokens set sealed_access_token = null, expires_at = null
     where customer_id = $1 and platform = $2 and generation = $3`,
    [platform, generation],
  );
}

/** The content of the row of a token when its lease was taken. */
export interface LeasedToken {
  readonly sealed_refresh_token: Buffer | null;
  readonly sealed_key: Buffer | null;
  readonly master_key_id: string | null;
}

/** Takes the lease of a token if it is free and there is no usable token; no row when it is not. */
export async function takeTokenLease(
  tx: CustomerTransaction,
  platform: PlatformName,
  holder: string,
  lease: number,
): Promise<readonly LeasedToken[]> {
  // Two statements in one round trip: a cluster lets no condition of `do update` ask for the time.
  const [, rows] = await Promise.all([
    tx.query(
      'insert into platform_tokens (customer_id, platform) values ($1, $2) on conflict (customer_id, platform) do nothing',
      [platform],
    ),
    tx.query<LeasedToken>(
      `update platform_tokens set lease_owner = $3, lease_until = now() + $4 * interval '1 millisecond'
       where customer_id = $1 and platform = $2 and (lease_until is null or lease_until < now())
         and (sealed_access_token is null or expires_at <= now())
       returning sealed_refresh_token, sealed_key, master_key_id`,
      [platform, holder, lease],
    ),
  ]);
  return rows;
}
