import type { Store } from '../database/store';

/** Below this many records any plan is quick. */
export const FEW = 500;

/** Describes what was staged to the query planner, which takes a table that was just filled for an empty one. */
export async function refreshStagingStatistics(store: Store): Promise<void> {
  await store.query('analyze staged_records (customer_id, run_id, entity_type, platform_id)');
}

/**
 * Describes to the query planner what a connect brought, where that is much of what there is. Until autovacuum comes by,
 * the planner takes a table that was just filled for an empty one, in which every index is as good as the next; a
 * listing then reads all records of a platform for each record it shows.
 */
export async function refreshStatistics(store: Store, brought: number): Promise<void> {
  if (brought < FEW) return;
  const [known] = await store.query<{ records: number }>(
    `select reltuples::float8 as records from pg_class where oid = 'platform_records'::regclass`,
  );
  if (known !== undefined && brought < known.records / 10) return;
  await store.query('analyze canonical_objects, platform_records');
}
