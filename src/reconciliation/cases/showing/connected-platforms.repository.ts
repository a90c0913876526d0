import { isJsonObject, isPlatformName, parseJsonText, type JsonObject, type PlatformName } from '@app/mapper';
import type { ConnectionMode } from '../../../database/entities/connection-mode';
import type { CustomerTransaction } from '../../../database/transaction/store';

/** A platform that the customer is connected to. */
export interface ConnectedPlatform {
  readonly mode: ConnectionMode;
  /** Settings of a live connection, none of them secret. */
  readonly settings: JsonObject | undefined;
}

/** The platforms that the customer is connected to now. */
export async function connectedPlatforms(
  tx: CustomerTransaction,
): Promise<ReadonlyMap<PlatformName, ConnectedPlatform>> {
  const rows = await tx.query<{ platform: string; mode: ConnectionMode; settings: string | null }>(
    `select c.platform, c.mode, l.settings::text as settings from connections c
     left join live_connections l on l.customer_id = $1 and l.platform = c.platform
     where c.customer_id = $1`,
  );
  return new Map(
    rows.flatMap(({ platform, mode, settings }): [PlatformName, ConnectedPlatform][] => {
      const read = settings === null ? undefined : parseJsonText(settings);
      return isPlatformName(platform)
        ? [[platform, { mode, settings: isJsonObject(read) ? read : undefined }]]
        : [];
    }),
  );
}
