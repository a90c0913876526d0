import type { PlatformName, StoredEntityType } from '@app/mapper';
import type { ConnectionName, NamedRecord } from '../../platforms/connector';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ClaimedRun } from '../run/run';

/**
 * Maximum number of named records that are kept for a connection. If a platform names more between two readings, much
 * has changed: a reading of changes finds nearly all of it, and the daily reading finds the rest.
 */
export const MOST_NAMED = 1_000;

/** The key of a record within its connection. */
export function keyOf({ entityType, platformId }: NamedRecord): string {
  return `${entityType} ${platformId}`;
}

/**
 * Stores records that the platform of a live connection has named, for the next reading. The caller's transaction holds
 * the lock of the connection's schedule.
 *
 * @param named each record once
 */
export async function keepNamed(
  tx: CustomerTransaction,
  { platform }: ConnectionName,
  named: readonly NamedRecord[],
): Promise<void> {
  if (named.length === 0) return;
  const [kept] = await tx.query<{ count: number }>(
    'select count(*)::int as count from named_records where customer_id = $1 and platform = $2',
    [platform],
  );
  const taken = named.slice(0, Math.max(0, MOST_NAMED - (kept?.count ?? 0)));
  await tx.query(
    `insert into named_records (customer_id, platform, entity_type, platform_id, project_id, named_at)
     select l.customer_id, l.platform, n.entity_type, n.platform_id, n.project_id, now()
     from live_connections l
     cross join unnest($3::text[], $4::text[], $5::text[]) as n (entity_type, platform_id, project_id)
     where l.customer_id = $1 and l.platform = $2
     on conflict (customer_id, platform, entity_type, platform_id) do update set
       named_at = excluded.named_at, project_id = coalesce(excluded.project_id, named_records.project_id)`,
    [
      platform,
      taken.map(({ entityType }) => entityType),
      taken.map(({ platformId }) => platformId),
      taken.map(({ project }) => project ?? null),
    ],
  );
}

/** The types of the records that were named before a run began to read. */
export async function namedTypes(
  tx: CustomerTransaction,
  { connection: { platform } }: ClaimedRun,
  readingSince: string,
): Promise<readonly StoredEntityType[]> {
  const rows = await tx.query<{ entity_type: StoredEntityType }>(
    `select distinct entity_type from named_records
     where customer_id = $1 and platform = $2 and named_at < $3::timestamptz`,
    [platform, readingSince],
  );
  return rows.map(({ entity_type: entityType }) => entityType);
}

const isUnseen = `
  n.customer_id = $1 and n.platform = $2 and n.named_at < $3::timestamptz and n.entity_type = any ($5::text[])
  and not exists (
    select 1 from (
      select s.entity_type, s.platform_id from staged_records s where s.customer_id = $1 and s.run_id = $4
      union all
      select u.entity_type, unnest(u.platform_ids) from staged_sightings u where u.customer_id = $1 and u.run_id = $4
    ) seen where seen.entity_type = n.entity_type and seen.platform_id = n.platform_id
  )`;

/**
 * Records that were named before a run began to read and that the run has not read, in the order in which they were
 * named.
 *
 * @param types the wanted types
 */
export async function unseenNamed(
  tx: CustomerTransaction,
  { connection: { platform }, id }: ClaimedRun,
  readingSince: string,
  types: readonly StoredEntityType[],
): Promise<readonly NamedRecord[]> {
  // The planner assumes that array parameters are short, and would compare each record with each.
  await tx.store.set('enable_nestloop = off');
  const rows = await tx.query<{
    entity_type: StoredEntityType;
    platform_id: string;
    project_id: string | null;
  }>(
    `select n.entity_type, n.platform_id, n.project_id from named_records n where ${isUnseen} order by n.named_at, n.platform_id`,
    [platform, readingSince, id, types],
  );
  return rows.map(({ entity_type: entityType, platform_id: platformId, project_id: project }) => ({
    entityType,
    platformId,
    ...(project !== null && { project }),
  }));
}

/** Leaves named records to the next run, which looks them up in this order. */
export async function postponeNamed(
  tx: CustomerTransaction,
  { platform }: ConnectionName,
  named: readonly NamedRecord[],
): Promise<void> {
  await tx.query(
    `update named_records n set named_at = now() + late.place * interval '1 microsecond'
     from unnest($3::text[], $4::text[]) with ordinality as late (entity_type, platform_id, place)
     where n.customer_id = $1 and n.platform = $2
       and n.entity_type = late.entity_type and n.platform_id = late.platform_id`,
    [platform, named.map(({ entityType }) => entityType), named.map(({ platformId }) => platformId)],
  );
}

/** Deletes the records that were named before a run began to read. Those of a run that published nothing stay. */
export async function forgetNamed(tx: CustomerTransaction, runId: string): Promise<void> {
  await tx.query(
    `delete from named_records n using sync_runs r
     where r.customer_id = $1 and r.id = $2 and r.status = 'done'
       and n.customer_id = $1 and n.platform = r.platform and n.named_at < r.reading_since`,
    [runId],
  );
}

/** Deletes all named records of a platform. */
export async function deleteNamed(tx: CustomerTransaction, platform: PlatformName): Promise<void> {
  await tx.query('delete from named_records where customer_id = $1 and platform = $2', [platform]);
}

/** A record as it is stored, for a lookup on the platform; undefined if it is not stored. */
export async function storedRecord(
  tx: CustomerTransaction,
  { platform }: ConnectionName,
  { entityType, platformId }: NamedRecord,
): Promise<{ readonly variant: string | null; readonly payload: string } | undefined> {
  const [row] = await tx.query<{ variant: string | null; payload: string }>(
    `select variant, payload::text as payload from platform_records
     where customer_id = $1 and platform = $2 and entity_type = $3 and platform_id = $4`,
    [platform, entityType, platformId],
  );
  return row;
}
