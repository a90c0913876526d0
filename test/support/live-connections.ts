import type { PlatformName } from '@app/mapper';
import type { StoredRecords } from './stored-records';

/** Gives a customer credentials for a platform, which nobody reads: the test brings a connector. */
export async function makeLive(
  stored: StoredRecords,
  customerId: string,
  platform: PlatformName,
): Promise<void> {
  await stored.query(
    `insert into live_connections (customer_id, platform, settings, sealed_secrets, sealed_key, master_key_id, changed_at)
     values ($1, $2, '{}', '', '', 'test', clock_timestamp())
     on conflict (customer_id, platform) do update set changed_at = excluded.changed_at`,
    [customerId, platform],
  );
}

/** Takes them away. */
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
