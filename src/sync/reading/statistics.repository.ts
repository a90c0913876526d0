import type { CustomerTransaction, Store } from '../../database/transaction/store';
import { hasStaged } from '../../matching/round/staged-records.repository';
import type { ClaimedRun } from '../run/run';

/** Below this number of staged records every plan is fast. */
const FEW_STAGED = 500;

/** The same for stored records, which a listing may read once for each record that it returns. */
const FEW_STORED = 100;

// A tenth of the usual sample is enough for the number of rows and the distinct values of each column.
const SMALL_SAMPLE = 'default_statistics_target = 10';

/**
 * Updates the planner's statistics for the staged rows. Without them the planner assumes that a table that was just
 * filled is empty.
 */
export async function refreshStagingStatistics(tx: CustomerTransaction, { id }: ClaimedRun): Promise<void> {
  if (!(await hasStaged(tx, id, FEW_STAGED))) return;
  await tx.store.set(SMALL_SAMPLE);
  await tx.store.query('analyze staged_records (customer_id, run_id, entity_type, platform_id)');
}

// Payloads are most of the cost, and no plan depends on them.
const analyzeStored = `
  analyze canonical_objects (customer_id, id, entity_type),
    platform_records (customer_id, platform, entity_type, platform_id, native_order, canonical_id, business_key)`;

/**
 * Updates the planner's statistics for the records of a connect, if they are a large part of all records. Until
 * autovacuum runs, the planner assumes that a table that was just filled is empty and that its indexes are equally
 * good. A listing then reads all records of a platform for each record it returns.
 */
export async function refreshStatistics(store: Store, added: number): Promise<void> {
  if (added < FEW_STORED) return;
  const [known] = await store.query<{ records: number }>(
    `select reltuples::float8 as records from pg_class where oid = 'platform_records'::regclass`,
  );
  if (known !== undefined && added < known.records / 10) return;
  await store.set(SMALL_SAMPLE);
  await store.query(analyzeStored);
}
