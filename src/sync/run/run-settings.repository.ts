import type { PlatformName } from '@app/mapper';
import { ApiError } from '../../common/errors/api-error';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ConnectionMode, ConnectionName } from '../../platforms/connector';
import type { ClaimedRun } from './run';

/** The longest time between two readings of everything. Only a reading of everything shows deleted records. */
const WHOLE_INTERVAL = `interval '1 day'`;

/** The mode of a connection: `live` while the customer has credentials for the platform, otherwise `sandbox`. */
export async function modeOf(tx: CustomerTransaction, { platform }: ConnectionName): Promise<ConnectionMode> {
  const live = await tx.query('select 1 from live_connections where customer_id = $1 and platform = $2', [
    platform,
  ]);
  return live.length > 0 ? 'live' : 'sandbox';
}

/** What a run that begins now reads. */
export interface ReadingPlan {
  /** When the credentials were stored, as the database writes it; null for a sandbox. */
  readonly changedAt: string | null;
  /** Whether it is time to read everything. */
  readonly whole: boolean;
}

/** The plan of a run of a platform that begins now. */
export async function readingPlan(tx: CustomerTransaction, platform: PlatformName): Promise<ReadingPlan> {
  // A statement before the insert of the run, because a cluster accepts no subquery among the values of an insert.
  const [known] = await tx.query<{ changedAt: string | null; whole: boolean | null }>(
    `select (select changed_at::text from live_connections where customer_id = $1 and platform = $2) as "changedAt",
       (select whole or whole_at is null or whole_at < now() - ${WHOLE_INTERVAL} from sync_schedules
        where customer_id = $1 and platform = $2) as whole`,
    [platform],
  );
  return { changedAt: known?.changedAt ?? null, whole: known?.whole ?? true };
}

/** SQL: the run `$2` as `r` with its connection as `l`, unless the settings have changed since the run began. */
const presentSettings = `sync_runs r
     left join live_connections l on l.customer_id = r.customer_id and l.platform = r.platform
     where r.customer_id = $1 and r.id = $2 and r.settings_changed_at is not distinct from l.changed_at
       and r.mode = case when l.platform is null then 'sandbox' else 'live' end`;

/** Whether a run reads with the settings that the connection has now. */
export async function hasPresentSettings(tx: CustomerTransaction, { id }: ClaimedRun): Promise<boolean> {
  const same = await tx.query(`select 1 from ${presentSettings}`, [id]);
  return same.length > 0;
}

/**
 * The settings that a run has read with, as JSON text; null for a sandbox. Records that were read before a change of
 * the settings and records that were read after it may belong to different companies.
 *
 * @throws ApiError CONFLICT_ERROR if the settings have changed since
 */
export async function settingsReadWith(tx: CustomerTransaction, { id }: ClaimedRun): Promise<string | null> {
  const [same] = await tx.query<{ settings: string | null }>(
    `select l.settings::text as settings from ${presentSettings}`,
    [id],
  );
  if (same === undefined) throw settingsChanged();
  return same.settings;
}

/** The end of a run whose settings have changed since it began. */
export function settingsChanged(): ApiError {
  return new ApiError('CONFLICT_ERROR', 'The connection was changed while it was read; connect again');
}
