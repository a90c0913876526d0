import type { Store } from '../database/store';
import { copyQuery, type CopyRow } from '../records/copy-rows';
import { recordsAt } from '../records/record-versions';
import { timeText } from '../database/time-text';
import { deletedRecords } from './deleted-records';

/** A record of an object, with since when it is as it is, and when it went. */
export type ObjectRecordRow = CopyRow & {
  readonly since: string;
  /** Null for a record that is there. */
  readonly gone_at: string | null;
};

/**
 * The records of an object by its ID or an alias, and those that are gone: none when there is no such object.
 *
 * @param asOf a time: the records as they were then, of the object that the ID named then
 */
export function objectRecords(
  store: Store,
  customerId: string,
  id: string,
  asOf?: string,
): Promise<readonly ObjectRecordRow[]> {
  return asOf === undefined
    ? store.query<ObjectRecordRow>(presentRecords, [customerId, id])
    : store.query<ObjectRecordRow>(earlierRecords, [customerId, id, asOf]);
}

/** SQL for the object that `$2` names now: an ID, or the alias of one. */
export const objectNamed = `coalesce(
  (select a.canonical_id from canonical_aliases a where a.customer_id = $1 and a.alias_id = $2), $2)`;

/**
 * SQL for the object that `$2` named at `$3`: the one that had the ID then; else the one that the records of that ID
 * belonged to; else what the alias names now.
 */
export const objectNamedAt = `coalesce(
  (select r.canonical_id from ${recordsAt('$3')} r where r.canonical_id = $2 limit 1),
  (select owner.canonical_id from record_versions v
    cross join lateral (
      select n.canonical_id from ${recordsAt('$3')} n
      where n.platform = v.platform and n.entity_type = v.entity_type and n.platform_id = v.platform_id offset 0
    ) owner
    where v.customer_id = $1 and v.canonical_id = $2 and v.until <= $3::timestamptz order by v.until desc limit 1),
  ${objectNamed})`;

const now = copyQuery();
const presentRecords = `
  select ${now.columns}, ${timeText('r.since')} as since, null as gone_at
  from platform_records r ${now.joins} where r.customer_id = $1 and r.canonical_id = ${objectNamed}
  union all
  select ${now.columns}, ${timeText('coalesce(last.since, r.deleted_at)')}, r.gone_at
  from ${deletedRecords} r ${now.joins}
  left join lateral (
    select max(v.since) as since from record_versions v
    where v.customer_id = $1 and v.platform = r.platform and v.entity_type = r.entity_type and v.platform_id = r.platform_id
  ) last on true
  where r.canonical_id = ${objectNamed} and not exists (
    select 1 from platform_records p
    where p.customer_id = $1 and p.platform = r.platform and p.entity_type = r.entity_type and p.platform_id = r.platform_id)`;

// What has ended by then and has no later version at that time was gone.
const then = copyQuery(undefined, '$3');
const goneThen = `(
    select v.* from record_versions v
    where v.customer_id = $1 and v.canonical_id = ${objectNamedAt} and v.until <= $3::timestamptz
      and not exists (
        select 1 from ${recordsAt('$3')} n
        where n.platform = v.platform and n.entity_type = v.entity_type and n.platform_id = v.platform_id)
      and not exists (
        select 1 from record_versions l
        where l.customer_id = $1 and l.platform = v.platform and l.entity_type = v.entity_type
          and l.platform_id = v.platform_id and l.until <= $3::timestamptz and l.until > v.until)
  )`;
const earlierRecords = `
  select ${then.columns}, ${timeText('r.since')} as since, null as gone_at
  from ${recordsAt('$3')} r ${then.joins} where r.canonical_id = ${objectNamedAt}
  union all
  select ${then.columns}, ${timeText('r.since')}, ${timeText('r.until')} from ${goneThen} r ${then.joins}`;
