import type { PlatformName } from '@app/mapper';
import type { SyncRunRow } from '../../database/entities/sync-run.entity';
import type { ConnectionMode } from '../../platforms/connector';
import type { CustomerTransaction } from '../../database/transaction/store';
import { countsFrom, failureFrom, type RunFailure, type TypeCounts } from './run';
import { reportFrom, type RunReport } from './run-report';

/** A stored run of a connection. */
export interface KnownRun {
  readonly platform: PlatformName;
  readonly mode: ConnectionMode;
  readonly status: 'running' | 'done' | 'failed';
  readonly startedAt: Date;
  /** Records read so far, by type. */
  readonly read: TypeCounts;
  readonly report: RunReport;
  /** A failure as the client may see it. */
  readonly error: RunFailure | undefined;
  /** Whether it failed after its credentials were replaced, so that it says nothing of the present ones. */
  readonly isOutdated: boolean;
}

type Row = Pick<KnownRun, 'platform' | 'mode' | 'status' | 'startedAt' | 'isOutdated'> &
  Pick<SyncRunRow, 'counts' | 'report' | 'error'>;

/** SQL condition: the credentials of the run `r` were replaced before it failed. `l` is its connection. */
const isOutdated = `coalesce(r.mode = 'live' and r.status = 'failed' and r.ended_at >= l.changed_at
       and r.settings_changed_at is distinct from l.changed_at, false)`;

/**
 * The last run of each platform, and the last ones that ended: outdated and not. Failed runs of a sandbox are left out,
 * because they leave no trace. Runs of a live connection that was removed or replaced together with its records are left out too.
 */
export async function lastRuns(tx: CustomerTransaction): Promise<readonly KnownRun[]> {
  const rows = await tx.query<Row>(
    `select platform, mode, status, started_at as "startedAt", counts, report, error, outdated as "isOutdated" from (
       select r.*, ${isOutdated} as outdated, row_number() over (partition by r.platform order by r.started_at desc) as place,
         row_number() over (partition by r.platform, r.status = 'running', ${isOutdated} order by r.started_at desc) as place_of_ended
       from sync_runs r
       left join live_connections l on l.customer_id = r.customer_id and l.platform = r.platform
       where r.customer_id = $1 and not (r.mode = 'sandbox' and r.status = 'failed')
     ) ranked
     where (place = 1 or (status <> 'running' and place_of_ended = 1))
       and (mode = 'sandbox' or (status <> 'done' and exists (
         select 1 from live_connections l where l.customer_id = $1 and l.platform = ranked.platform
       )) or exists (select 1 from connections c where c.customer_id = $1 and c.platform = ranked.platform))
     order by platform, started_at desc`,
  );
  return rows.map(({ counts, report, error, ...run }) => ({
    ...run,
    read: countsFrom(counts),
    report: reportFrom(report),
    error: error === null ? undefined : failureFrom(error),
  }));
}
