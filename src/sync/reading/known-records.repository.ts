import type { StoredEntityType } from '@app/mapper';
import type { Connection } from '../../platforms/connector';
import type { CustomerTransaction } from '../../database/transaction/store';
import type { ClaimedRun } from '../run/run';

/**
 * Whether any record of a type is stored for a connection. Records that were read in another mode do not count: this
 * reading replaces all of them, even by records that look the same.
 */
export async function hasRecords(
  tx: CustomerTransaction,
  { platform, mode }: Connection,
  entityType: StoredEntityType,
): Promise<boolean> {
  // The order of the primary key makes the planner use its index. On a table that was just filled, the planner
  // otherwise expects a match among the first rows and scans all of them.
  const found = await tx.query(
    `select 1 from platform_records where customer_id = $1 and platform = $2 and entity_type = $3
       and exists (select 1 from connections c where c.customer_id = $1 and c.platform = $2 and c.mode = $4)
     order by platform_id limit 1`,
    [platform, entityType, mode],
  );
  return found.length > 0;
}

/**
 * Compares records that were read with the stored ones.
 *
 * @param ids native IDs; null for a record that is not to be compared
 * @param digests of the same records
 * @returns the indexes of the records that differ from the stored ones or are not stored
 */
export async function findChanged(
  tx: CustomerTransaction,
  { platform }: Connection,
  entityType: StoredEntityType,
  ids: readonly (string | null)[],
  digests: readonly string[],
): Promise<ReadonlySet<number>> {
  const [, rows] = await Promise.all([
    // The planner assumes that an array parameter is short, and would compare each record with each.
    tx.store.set('enable_nestloop = off'),
    tx.query<{ place: number }>(changedPlaces, [platform, entityType, ids, digests]),
  ]);
  return new Set(rows.map(({ place }) => place));
}

// The records of a page are looked up by their key. Without the list of IDs in the subquery, all records of the type
// would be read.
const changedPlaces = `
  select given.place::int - 1 as place
  from unnest($4::text[], $5::text[]) with ordinality as given (platform_id, digest, place)
  left join (
    select r.platform_id, r.digest from platform_records r
    where r.customer_id = $1 and r.platform = $2 and r.entity_type = $3 and r.platform_id = any ($4::text[])
  ) known on known.platform_id = given.platform_id
  where known.digest is distinct from given.digest`;

/**
 * Scopes of a run with a record that was read and not stored: a write of this service is open or was recorded after the
 * reading began, and the platform returned another value. The result of that write need not be the platform's value.
 */
export async function unsettledScopes(
  tx: CustomerTransaction,
  { connection: { platform }, id }: ClaimedRun,
  readingSince: string,
): Promise<ReadonlySet<StoredEntityType>> {
  const rows = await tx.query<{ entity_type: StoredEntityType }>(
    `select distinct r.entity_type from platform_records r
     join staged_records s on s.entity_type = r.entity_type and s.platform_id = r.platform_id
     where r.customer_id = $1 and r.platform = $2 and s.customer_id = $1 and s.run_id = $3
       and (r.accepted is not null or r.written_at >= $4::timestamptz)
       and s.payload::text <> r.payload::text and s.payload::text is distinct from r.accepted::text`,
    [platform, id, readingSince],
  );
  return new Set(rows.map(({ entity_type }) => entity_type));
}
