import { isPlatformName } from '@app/mapper';
import type { Store } from '../../database/transaction/store';
import type { ConnectionName } from '../../platforms/connector';

/** A run and its customer. */
export interface NamedRun {
  readonly customerId: string;
  readonly runId: string;
}

/** Connections with a run whose lease has expired, the longest expired first. Reads across customers. */
export async function abandonedRuns(store: Store, limit: number): Promise<readonly ConnectionName[]> {
  const rows = await store.query<{ customerId: string; platform: string }>(
    `select customer_id as "customerId", platform from sync_runs where status = 'running' and lease_until < now()
     order by lease_until limit $1`,
    [limit],
  );
  return rows.flatMap(({ customerId, platform }) =>
    isPlatformName(platform) ? [{ customerId, platform }] : [],
  );
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Runs that are not under way and have staged rows left. Reads across customers.
 *
 * @param after the last run of the page before
 */
export function leftoverRuns(
  store: Store,
  limit: number,
  after: NamedRun = { customerId: FIRST_ID, runId: FIRST_ID },
): Promise<readonly NamedRun[]> {
  return store.query<NamedRun>(
    `select distinct c.customer_id as "customerId", c.run_id as "runId" from sync_checkpoints c
     left join sync_runs r on r.customer_id = c.customer_id and r.id = c.run_id and r.status = 'running'
     where r.id is null and (c.customer_id, c.run_id) > ($2::uuid, $3::uuid)
     order by c.customer_id, c.run_id limit $1`,
    [limit, after.customerId, after.runId],
  );
}
