import { type StoredEntityType, type PlatformName, platformNames } from '../../../../libs/mapper/src';
import type { CustomerTransaction } from '../../../database/transaction/store';
import { absentPlacement } from '../../../records/objects/placement-then';
import type { StatementScope } from './tallies.repository';

/** Deleted records, by type and platform. */
export type DeletedCounts = ReadonlyMap<StoredEntityType, ReadonlyMap<PlatformName, number>>;

const deletedOfScope = `
  select d.entity_type, d.platform, count(*)::int as count from deleted_records d
  where d.customer_id = $1 and d.platform = any ($2::text[]) and d.entity_type = any ($3::text[])
    and ($4::text is null or case when d.entity_type = 'project' then d.canonical_id else d.project_canonical_id end = $4)
  group by d.entity_type, d.platform`;

/** Deleted records, by type and platform. */
export async function deletedCounts(
  tx: CustomerTransaction,
  { left, right, types, projectId }: StatementScope,
): Promise<DeletedCounts> {
  const rows = await tx.query<{ entity_type: StoredEntityType; platform: PlatformName; count: number }>(
    deletedOfScope,
    [[left, right], types, projectId ?? null],
  );
  const counts = new Map<StoredEntityType, Map<PlatformName, number>>();
  for (const { entity_type, platform, count } of rows) {
    const own = counts.get(entity_type) ?? new Map<PlatformName, number>();
    counts.set(entity_type, own.set(platform, count));
  }
  return counts;
}

// A record was deleted at the time if it had existed before and has no version at the time.
const goneAt = `
  select v.entity_type, v.platform, count(*)::int as count
  from (
    select distinct on (n.platform, n.entity_type, n.platform_id) n.platform, n.entity_type, n.platform_id, n.until,
      n.canonical_id, n.project_canonical_id
    from record_versions n
    where n.customer_id = $1 and n.platform = any ($2::text[]) and n.entity_type = any ($3::text[])
      and n.since <= $5::timestamptz
    order by n.platform, n.entity_type, n.platform_id, n.since desc
  ) v
  where v.until <= $5::timestamptz
    and ($4::text is null or $4 = case when v.entity_type = 'project' then ${absentPlacement('v', 'canonical_id', '$5')}
      else ${absentPlacement('v', 'project_canonical_id', '$5')} end)
    and not exists (
    select from platform_records r
    where r.customer_id = $1 and r.platform = v.platform and r.entity_type = v.entity_type
      and r.platform_id = v.platform_id and r.since <= $5::timestamptz
  )
  group by v.entity_type, v.platform`;

/** Records that were deleted at the time, by type and platform. */
export function deletedAt(
  tx: CustomerTransaction,
  { left, right, types, projectId }: StatementScope,
  time: string,
): Promise<readonly { entity_type: StoredEntityType; platform: PlatformName; count: number }[]> {
  return tx.query(goneAt, [
    platformNames.filter((one) => one === left || one === right),
    types,
    projectId ?? null,
    time,
  ]);
}
