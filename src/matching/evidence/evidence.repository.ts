import { platformNames, type PlatformName, type StoredEntityType } from '@app/mapper';
import type { CustomerTransaction } from '../../database/transaction/store';
import { recordsAt } from '../../records/changes/record-versions.repository';
import { keyGroups, parentColumn } from '../rule/key-groups.sql';
import { MOST_CANDIDATES, type GroupedRecord, type KeyedRecord, type LinkedRecord } from './evidence';

/** A record of an object, and how it joined it. */
export interface JoinedRow extends LinkedRecord {
  readonly entity_type: StoredEntityType;
  /**
   * When it joined, or when the decision was withdrawn that had joined it and the rules held the link on; as the database
   * writes it.
   */
  readonly since: string;
  readonly origin: 'run' | 'propagation' | 'outcome' | 'decision' | 'terms' | null;
  readonly change_id: string | null;
  readonly propagation_id: string | null;
  readonly request_id: string | null;
  readonly decision_id: string | null;
  readonly rule_version: number | null;
}

/**
 * The records of an object in the order in which they joined it: since when each has belonged to it without belonging to
 * another one in between, absences aside.
 *
 * @param asOf a time of the database, or `infinity`
 */
export function joinedRecords(
  tx: CustomerTransaction,
  canonicalId: string,
  asOf: string,
): Promise<JoinedRow[]> {
  return tx.query<JoinedRow>(joined, [canonicalId, asOf, platformNames]);
}

const versions = (columns: string) => `
  select ${columns} from platform_records v
  where v.customer_id = $1 and v.platform = r.platform and v.entity_type = r.entity_type and v.platform_id = r.platform_id
    and v.since <= $3::timestamptz
  union all
  select ${columns} from record_versions v
  where v.customer_id = $1 and v.platform = r.platform and v.entity_type = r.entity_type and v.platform_id = r.platform_id
    and v.since <= $3::timestamptz`;

const joined = `
  select r.platform, r.platform_id, r.entity_type, coalesce(held.at, first.since)::text as since, c.origin, c.id as change_id,
    c.propagation_id, coalesce(c.request_id, p.request_id) as request_id, c.decision_id,
    (coalesce(held.detail, c.detail) ->> 'rule_version')::int as rule_version
  from ${recordsAt('$3')} r
  cross join lateral (
    select own.since, own.changed_by from (${versions('v.since, v.changed_by, v.canonical_id')}) own
    where own.canonical_id = $2 and own.since > coalesce((
      select max(other.since) from (${versions('v.since, v.canonical_id')}) other where other.canonical_id <> $2
    ), '-infinity')
    order by own.since limit 1
  ) first
  left join changes c on c.customer_id = $1 and c.id = first.changed_by
  left join propagations p on p.customer_id = $1 and p.id = c.propagation_id
  left join reconciliation_decisions d on d.customer_id = $1 and d.id = c.decision_id and d.decision = 'link'
    and d.withdrawn_at > c.at and d.withdrawn_at <= $3::timestamptz
  left join changes held on held.customer_id = $1 and held.decision_id = d.id and held.at = d.withdrawn_at
  where r.canonical_id = $2
  order by first.since, array_position($4::text[], r.platform)`;

/** Records as they were at a time. */
export function recordsThen(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  at: string,
  records: readonly LinkedRecord[],
): Promise<KeyedRecord[]> {
  return tx.query<KeyedRecord>(
    `select ${keyed(entityType)} from unnest($4::text[], $5::text[]) as asked (platform, platform_id)
     join ${recordsAt('$3')} r on r.platform = asked.platform and r.platform_id = asked.platform_id
     where r.entity_type = $2`,
    [entityType, at, records.map(({ platform }) => platform), records.map(({ platform_id: id }) => id)],
  );
}

/** The records of an object that belonged to a group of the rule of keys at a time. */
export function groupedThen(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  at: string,
  records: readonly KeyedRecord[],
): Promise<GroupedRecord[]> {
  const groups = keyGroups(entityType, {
    stored: recordsAt('$3'),
    platforms: '$4::text[]',
    keys: '$5::text[]',
  });
  return tx.query<GroupedRecord>(
    `with ${groups}
     select g.platform, g.platform_id, g.business_key, g.parent, g.parent_key, g.is_unique
     from unnest($6::text[], $7::text[]) as asked (platform, platform_id)
     join grouped g on g.platform = asked.platform and g.platform_id = asked.platform_id`,
    [
      entityType,
      at,
      platformNames,
      keysOf(records),
      records.map(({ platform }) => platform),
      records.map(({ platform_id: id }) => id),
    ],
  );
}

/** Records of other objects that had a key of an object's records. */
export interface SameKeys {
  /** {@link MOST_CANDIDATES} at most. */
  readonly others: readonly KeyedRecord[];
  readonly more: number;
}

/** See {@link SameKeys}. */
export async function sameKeysThen(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  at: string,
  records: readonly KeyedRecord[],
  object: string,
): Promise<SameKeys> {
  const others = await tx.query<KeyedRecord & { readonly total: number }>(
    `select ${keyed(entityType)}, (count(*) over ())::int as total from ${recordsAt('$3')} r
     where r.entity_type = $2 and r.business_key = any ($4::text[]) and r.canonical_id <> $5
     order by array_position($6::text[], r.platform), r.native_order, r.platform_id limit ${MOST_CANDIDATES}`,
    [entityType, at, keysOf(records), object, platformNames],
  );
  return { others, more: (others[0]?.total ?? 0) - others.length };
}

function keysOf(records: readonly KeyedRecord[]): readonly string[] {
  return [...new Set(records.flatMap(({ business_key: key }) => (key === null ? [] : [key])))];
}

function keyed(entityType: StoredEntityType): string {
  return `r.platform, r.platform_id, r.canonical_id, r.business_key, r.number, r.${parentColumn(entityType)} as parent`;
}

/** A decision that stood at a time. */
export interface DecisionThen {
  readonly id: string;
  readonly decision: 'link' | 'not_same';
  readonly platform: PlatformName;
  readonly platform_id: string;
  readonly other_platform: PlatformName;
  readonly other_platform_id: string;
  readonly decided_by: string;
  readonly reason: string;
}

/** Decisions about some records that stood at a time. */
export function decisionsThen(
  tx: CustomerTransaction,
  entityType: StoredEntityType,
  at: string,
  records: readonly LinkedRecord[],
): Promise<DecisionThen[]> {
  const side = (platform: string, platformId: string) => `
    select d.id, d.decision, d.platform, d.platform_id, d.other_platform, d.other_platform_id, d.decided_by, d.reason
    from reconciliation_decisions d
    join unnest($4::text[], $5::text[]) as asked (platform, platform_id)
      on asked.platform = d.${platform} and asked.platform_id = d.${platformId}
    where d.customer_id = $1 and d.entity_type = $2 and d.decided_at <= $3::timestamptz
      and (d.withdrawn_at is null or d.withdrawn_at > $3::timestamptz)`;
  return tx.query<DecisionThen>(
    `${side('platform', 'platform_id')} union ${side('other_platform', 'other_platform_id')}`,
    [entityType, at, records.map(({ platform }) => platform), records.map(({ platform_id: id }) => id)],
  );
}

/**
 * The decision that caused a change, or whose withdrawal did: then with the person who withdrew it and the reason for
 * that.
 *
 * @param at the time of the change
 */
export async function decisionOf(
  tx: CustomerTransaction,
  id: string,
  at: string,
): Promise<Pick<DecisionThen, 'id' | 'decided_by' | 'reason'> | undefined> {
  const [row] = await tx.query<Pick<DecisionThen, 'id' | 'decided_by' | 'reason'>>(
    `select d.id, case when d.withdrawn_at <= $3::timestamptz then d.withdrawn_by else d.decided_by end as decided_by,
       case when d.withdrawn_at <= $3::timestamptz then d.withdrawn_reason else d.reason end as reason
     from reconciliation_decisions d where d.customer_id = $1 and d.id = $2`,
    [id, at],
  );
  return row;
}
