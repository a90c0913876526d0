import { lockCustomer } from '../../database/transaction/customer-lock';
import type { Store } from '../../database/transaction/store';
import { RunLost, type ClaimedRun } from '../run/run';

/**
 * Records when a run begins to read. The time falls between two changes of the customer's records: every earlier change
 * has ended, so the reading sees it, and every later change is recorded with a later time. The database's clock alone
 * therefore separates what a run has read from what was written since. A run that another process takes over keeps its
 * time.
 *
 * @returns the time as the database writes it, to the microsecond
 * @throws RunLost
 */
export async function beginReading(store: Store, { connection, id, owner }: ClaimedRun): Promise<string> {
  const { customerId } = connection;
  if (!(await lockCustomer(store.forCustomer(customerId), 'exclusive'))) throw new RunLost();
  // Three statements, because a distributed table accepts neither a clock in an update nor its text in the returned
  // row.
  const [clock] = await store.query<{ now: string }>('select clock_timestamp()::text as now');
  const begun = await store.query(
    `update sync_runs set reading_since = coalesce(reading_since, $4)
     where customer_id = $1 and id = $2 and lease_owner = $3 and status = 'running' returning id`,
    [customerId, id, owner, clock?.now],
  );
  const [run] = await store.query<{ since: string }>(
    'select reading_since::text as since from sync_runs where customer_id = $1 and id = $2',
    [customerId, id],
  );
  if (begun.length === 0 || run === undefined) throw new RunLost();
  return run.since;
}
