import { lockCustomer } from '../database/customer-lock';
import type { Store } from '../database/store';
import { RunLost, type ClaimedRun } from './run';

/**
 * Notes when a run begins to read, between two changes of the customer's records: a change that began before has ended,
 * and the reading sees it; a change that begins later is recorded at a later time. So what a run has read can be told
 * from what was written since, by the clock of the database alone. A run that is taken over keeps its time.
 *
 * @returns the time as the database writes it, to the microsecond
 * @throws RunLost
 */
export async function beginReading(store: Store, { connection, id, owner }: ClaimedRun): Promise<string> {
  const { customerId } = connection;
  if (!(await lockCustomer(store, customerId, 'exclusive'))) throw new RunLost();
  const [run] = await store.query<{ since: string }>(
    `update sync_runs set reading_since = coalesce(reading_since, clock_timestamp())
     where customer_id = $1 and id = $2 and lease_owner = $3 and status = 'running'
     returning reading_since::text as since`,
    [customerId, id, owner],
  );
  if (run === undefined) throw new RunLost();
  return run.since;
}
