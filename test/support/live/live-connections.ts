import type { PlatformName } from '@app/mapper';
import { newEnvelope } from '../../../src/platforms/credentials/envelope';
import { masterKey } from '../../e2e/credentials/master-keys';
import type { StoredRecords } from '../database/stored-records';

/** The master key of what {@link makeLive} stores: a service of the test that starts later needs it. */
export const LIVE_KEY = masterKey('test');

/** Stores credentials of a customer for a platform. They are never used, because the test supplies a connector. */
export async function makeLive(
  stored: StoredRecords,
  customerId: string,
  platform: PlatformName,
): Promise<void> {
  const { key, seal } = newEnvelope(LIVE_KEY, { table: 'live_connections', customerId, row: platform });
  await stored.query(
    `insert into live_connections (customer_id, platform, settings, sealed_secrets, sealed_key, master_key_id, changed_at)
     values ($1, $2, '{"company_id":"1","api_url":"https://api.example"}', $3, $4, $5, clock_timestamp())
     on conflict (customer_id, platform) do update set changed_at = excluded.changed_at`,
    [customerId, platform, seal('secrets', '{}'), key.sealedKey, key.masterKeyId],
  );
}

/** Removes the credentials. */
export async function makeSandbox(
  stored: StoredRecords,
  customerId: string,
  platform: PlatformName,
): Promise<void> {
  await stored.query('delete from live_connections where customer_id = $1 and platform = $2', [
    customerId,
    platform,
  ]);
}
