import { createSecretKey, randomBytes } from 'node:crypto';
import { newEnvelope } from '../../src/platforms/credentials/envelope';
import type { MasterKey } from '../../src/runtime/config/credentials-keys';
import type { Database } from '../harness/databases';

const MASTER_KEY: MasterKey = { id: 'bench', key: createSecretKey(randomBytes(32)) };

/** The setting with the key of all credentials: a service looks whether it opens some of them before it starts. */
export const credentialsKeys = {
  CREDENTIALS_KEYS: `${MASTER_KEY.id}:${MASTER_KEY.key.export().toString('base64')}`,
} as const;

/**
 * Adds customers with a live connection to each platform, as rows that no run has made. Nothing opens their credentials until they
 * are read.
 *
 * @param due when each connection is due, in SQL; in a day unless given
 */
export async function addLiveCustomers(
  database: Database,
  count: number,
  due = `now() + interval '1 day'`,
): Promise<void> {
  await database.use(async (client) => {
    await client.query('begin');
    await client.query('create temporary table added (id uuid, platform text) on commit drop');
    await client.query(
      `insert into added select c.id, p.platform from (select gen_random_uuid() as id from generate_series(1, $1)) c
       cross join (values ('platform_a'), ('platform_b')) p (platform)`,
      [count],
    );
    await client.query(
      `insert into customers (id, name, kind) select distinct id, 'Customer ' || id, 'standard' from added`,
    );
    await client.query(
      `insert into connections (customer_id, platform, mode, connected_at, synced_at, entities_synced, currency)
       select id, platform, 'live', now(), now(), 100, 'USD' from added`,
    );
    const { rows } = await client.query<{ id: string; platform: string }>('select id, platform from added');
    const sealed = rows.map(({ id, platform }) =>
      newEnvelope(MASTER_KEY, { table: 'live_connections', customerId: id, row: platform }),
    );
    await client.query(
      `insert into live_connections (customer_id, platform, settings, sealed_secrets, sealed_key, master_key_id)
       select id, platform, '{}', secrets, key, $5
       from unnest($1::uuid[], $2::text[], $3::bytea[], $4::bytea[]) made (id, platform, secrets, key)`,
      [
        rows.map(({ id }) => id),
        rows.map(({ platform }) => platform),
        sealed.map(({ seal }) => seal('secrets', '{}')),
        sealed.map(({ key }) => key.sealedKey),
        MASTER_KEY.id,
      ],
    );
    await client.query(
      `insert into sync_schedules (customer_id, platform, sync_due_at, whole_at)
       select id, platform, ${due}, now() from added`,
    );
    await client.query(
      `insert into webhook_schedules (customer_id, platform, due_at, settings_changed_at)
       select l.customer_id, l.platform, now() + interval '1 day', l.changed_at from live_connections l
       on conflict do nothing`,
    );
    await client.query('commit');
  });
}
