import { platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { groupsOfRound, parametersOf, type MatchingRound } from './matching-round';
import type { RecordName } from '../rule/link-constraints';

/** A stored record of an object that may have to be split. */
export interface ContradictedRecord extends RecordName {
  readonly object: string;
  /** Names the record's group within the records of its key. */
  readonly parentKey: string;
}

/** The records of objects that this reading shows to be two, see `splitContradicted`. */
export async function contradictedRecords(
  tx: CustomerTransaction,
  round: MatchingRound,
  split: readonly string[],
): Promise<readonly ContradictedRecord[]> {
  const rows = await tx.query<{
    platform: PlatformName;
    platform_id: string;
    canonical_id: string;
    parent_key: string;
  }>(contradicted(round.entityType), [...parametersOf(round), platformNames, split]);
  return rows.map((row) => ({
    platform: row.platform,
    platformId: row.platform_id,
    object: row.canonical_id,
    parentKey: row.parent_key,
  }));
}

// SQL for stored records of one object and one key that belong to different groups, if the key contradicts itself or
// this run has split a parent. A record without a group counts as a group of its own.
function contradicted(entityType: StoredEntityType): string {
  return `
  with ${groupsOfRound(entityType)},
  placed as (
    select j.platform, j.platform_id, j.canonical_id, j.business_key, coalesce(g.parent_key, '+' || j.platform) as parent_key,
      j.contradicts or j.parent = any ($6::text[]) as doubtful
    from judged j
    left join grouped g on g.platform = j.platform and g.platform_id = j.platform_id
    where j.canonical_id not like '+%'
  ),
  compared as (
    select p.*, min(parent_key) over same as first_group, max(parent_key) over same as last_group,
      bool_or(doubtful) over same as any_doubtful
    from placed p window same as (partition by canonical_id, business_key)
  )
  select c.platform, c.platform_id, c.canonical_id, c.parent_key from compared c
  where first_group <> last_group and any_doubtful`;
}
