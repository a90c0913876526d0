import type { PlatformName } from '@app/mapper';
import type { Store } from '../database/store';
import { recordsAt } from '../records/record-versions';
import { timeText } from './deleted-records';

/** Since when, and by what, a record belongs to its object. */
export interface LinkEvidence {
  readonly platform: PlatformName;
  readonly platform_id: string;
  /** The normalised key that records are matched by; null for a record that has none. */
  readonly key: string | null;
  readonly since: string;
  /** The change that put it there; null where that was before changes were kept. */
  readonly change_id: string | null;
}

/**
 * What is known of the links of an object's records; none for an object of one record.
 *
 * @param canonicalId of the object itself, no alias
 * @param asOf a time: what was known then; by default now
 */
export async function evidenceOf(
  store: Store,
  customerId: string,
  canonicalId: string,
  asOf = 'infinity',
): Promise<readonly LinkEvidence[]> {
  const rows = await store.query<LinkEvidence>(links, [customerId, canonicalId, asOf]);
  return rows.length > 1 ? rows : [];
}

// The first of the versions that a record has had in the object.
const links = `
  select r.platform, r.platform_id, r.business_key as key,
    ${timeText('coalesce(first.since, r.since)')} as since,
    case when first.since is null then r.changed_by else first.changed_by end as change_id
  from ${recordsAt('$3')} r
  left join lateral (
    select v.since, v.changed_by from record_versions v
    where v.customer_id = $1 and v.canonical_id = $2 and v.platform = r.platform
      and v.platform_id = r.platform_id and v.since <= $3::timestamptz
    order by v.since limit 1
  ) first on true
  where r.canonical_id = $2
  order by r.platform`;
