import { isJsonObject, isPlatformName, parseJsonText, type JsonObject, type PlatformName } from '@app/mapper';
import type { ConnectionMode } from '../../../database/entities/connection-mode';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { timeText } from '../../../database/transaction/time-text';

/** A platform that the customer is connected to. */
export interface ConnectedPlatform {
  readonly mode: ConnectionMode;
  /**
   * When the first records of the present source were published: with the first connect, or in the place of those of the
   * sandbox or of a live connection. In UTC, with microseconds.
   */
  readonly since: string;
  /** Settings of a live connection, none of them secret. */
  readonly settings: JsonObject | undefined;
}

const sql = `
  select c.platform, c.mode, ${timeText('greatest(c.connected_at, s.began)')} as since, l.settings::text as settings
  from connections c
  left join live_connections l on l.customer_id = $1 and l.platform = c.platform
  left join lateral (
    select min(r.ended_at) as began from sync_runs r
    where r.customer_id = $1 and r.platform = c.platform and r.mode = c.mode and r.status = 'done' and r.started_at > (
      select max(o.started_at) from sync_runs o
      where o.customer_id = $1 and o.platform = c.platform and o.mode <> c.mode and o.status = 'done')
  ) s on true
  where c.customer_id = $1`;

/** The platforms that the customer is connected to now. */
export async function connectedPlatforms(
  tx: CustomerTransaction,
): Promise<ReadonlyMap<PlatformName, ConnectedPlatform>> {
  const rows = await tx.query<{
    platform: string;
    mode: ConnectionMode;
    since: string;
    settings: string | null;
  }>(sql);
  return new Map(
    rows.flatMap(({ platform, mode, since, settings }) => {
      const read = settings === null ? undefined : parseJsonText(settings);
      return isPlatformName(platform)
        ? [[platform, { mode, since, settings: isJsonObject(read) ? read : undefined }]]
        : [];
    }),
  );
}
