import { platformNames, type PlatformName } from '@app/mapper';
import type { CustomerTransaction } from '../database/transaction/store';
import { keyGroups } from './key-groups.sql';
import { parametersOf, type MatchingRound } from './matching-round';
import { decidedClusters } from './standing-decisions.repository';

/** A stored record of an object that may have to be split. */
export interface Member {
  readonly platform: PlatformName;
  readonly platform_id: string;
  readonly canonical_id: string;
  readonly parent_key: string;
  /** The cluster of must-link decisions; null if there is none. */
  readonly unit: string | null;
}

/** The records of objects that this reading shows to be two, see `splitContradicted`. */
export function contradictedMembers(
  tx: CustomerTransaction,
  round: MatchingRound,
  parted: readonly string[],
): Promise<readonly Member[]> {
  return tx.query<Member>(contradicted(round), [...parametersOf(round), platformNames, parted]);
}

// Stored records of one object and one key that belong to different groups, where the key contradicts itself or a parent
// was parted. A record that belongs to no group is a group of its own.
function contradicted({ entityType, standing }: MatchingRound): string {
  const decided = standing?.links === true;
  return `
  with recursive ${decided ? `${decidedClusters}, ` : ''}${keyGroups(entityType)},
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
  select c.platform, c.platform_id, c.canonical_id, c.parent_key, ${decided ? 'u.unit' : 'null as unit'}
  from compared c ${decided ? 'left join units u on u.platform = c.platform and u.platform_id = c.platform_id' : ''}
  where first_group <> last_group and any_doubtful`;
}
