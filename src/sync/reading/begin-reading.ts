import { lockCustomer } from '../../database/transaction/customer-lock';
import type { Store } from '../../database/transaction/store';
import { RunLost, type ClaimedRun } from '../run/run';

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
  // Three statements: a table that is spread over servers takes neither a clock in an update nor a text of it back.
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
