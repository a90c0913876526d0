import type { PlatformName, Terms } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ConnectedPlatform, EarlierCommand } from '../plan/context/change-context';
import { termsColumn } from '../../records/terms/terms.repository';
import { termsFrom } from '../../records/terms/terms-text';
import type { TargetSql } from './locked-object.repository';

/**
 * Loads the database's time after the locks, the customer's connections and terms, the object's open and held commands,
 * the platforms on which the object is deleted, and whether records are still to be created.
 */
export async function loadChangeSurroundings(
  tx: CustomerTransaction,
  { id, parameters }: TargetSql,
): Promise<{
  readonly at: string;
  readonly connections: readonly ConnectedPlatform[];
  readonly terms: Terms;
  readonly earlier: readonly EarlierCommand[];
  /** Whether the customer has a record that is still to be created. */
  readonly hasCreations: boolean;
  readonly goneFrom: readonly PlatformName[];
}> {
  const [row] = await tx.query<{
    at: string;
    connections: ConnectedPlatform[] | null;
    terms: string | null;
    earlier: EarlierCommand[] | null;
    has_creations: boolean;
    gone: PlatformName[] | null;
  }>(
    `select clock_timestamp()::text as at,
       (select json_agg(json_build_object('platform', platform, 'currency', currency, 'mode', mode, 'settings', (
            select settings from live_connections l where l.customer_id = $1 and l.platform = c.platform and c.mode = 'live')))
          from connections c where customer_id = $1) as connections,
       ${termsColumn()} as terms,
       (select json_agg(json_build_object('platform', platform, 'creates', platform_id is null and base is null, 'held', status = 'held'))
          from outbox_commands where customer_id = $1 and canonical_id = ${id}
            and (decided_at is null or (status = 'held' and platform_id is null and base is null))) as earlier,
       exists (select 1 from outbox_commands
          where customer_id = $1 and decided_at is null and platform_id is null and base is null) as has_creations,
       (select json_agg(distinct platform) from deleted_records where customer_id = $1 and canonical_id = ${id}) as gone`,
    [...parameters],
  );
  if (row === undefined) throw new Error('The database has no time');
  return {
    at: row.at,
    connections: row.connections ?? [],
    terms: termsFrom(row.terms),
    earlier: row.earlier ?? [],
    hasCreations: row.has_creations ?? false,
    goneFrom: row.gone ?? [],
  };
}
