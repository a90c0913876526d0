import type { PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { reportFrom } from '../../sync/run/run-report';
import type { gapsOf } from './completeness';

type Run = Parameters<typeof gapsOf>[2][number];

/**
 * The stored runs at a time: the run in progress on each platform, and the last finished run. For older times, an
 * earlier run with the same result may stand for the last one.
 */
export async function runsAt(tx: CustomerTransaction, time: string): Promise<readonly Run[]> {
  const rows = await tx.query<{
    platform: PlatformName;
    under_way: boolean;
    status: Run['status'];
    report: unknown;
    error: { readonly message: string } | null;
  }>(
    `select platform, under_way, status, report, error from (
       select r.platform, r.started_at, r.status, r.report, r.error,
         r.ended_at is null or r.ended_at > $2::timestamptz as under_way,
         row_number() over (
           partition by r.platform, r.ended_at is null or r.ended_at > $2::timestamptz order by r.started_at desc
         ) as place
       from sync_runs r
       where r.customer_id = $1 and r.started_at <= $2::timestamptz and not (r.mode = 'sandbox' and r.status = 'failed')
     ) ranked where place = 1
     order by platform, started_at desc`,
    [time],
  );
  return rows.map(({ platform, under_way, status, report, error }) => ({
    platform,
    status: under_way ? 'running' : status,
    report: reportFrom(report),
    error: error === null ? undefined : { type: 'INTERNAL_ERROR', message: error.message },
  }));
}
