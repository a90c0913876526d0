import { columnList } from '../../database/column-list';
import type { CustomerTransaction } from '../../database/transaction/store';
import { recordsAt } from '../changes/record-versions.repository';
import { timeText } from '../../database/transaction/time-text';
import { mergedInto } from '../objects/placement-then';

/** The time during which an ID was an alias; `since` is empty if it is not known, `until` null while it is one. */
export interface AliasTime {
  readonly since: string;
  readonly until: string | null;
}

/** A time at which something of an object may have changed. */
interface MomentRow {
  /**
   * By ID, for the object and its aliases, also for former ones: when the ID was an alias; never for the object itself. The whole
   * is null if there is no such object.
   */
  readonly ids: Readonly<Record<string, readonly AliasTime[]>> | null;
  /** UTC with microseconds; null if nothing has changed in the requested range of times. */
  readonly at: string | null;
}

// An ID that was merged into an alias counts while both were aliases.
/**
 * SQL for the IDs of an object, `$2`: its own, and those of objects that have become part of it, with the times during which they
 * were aliases of it.
 */
const idsOf = `
  with recursive named (id, since, until, begins, ends) as (
    select o.id, null::timestamptz, null::timestamptz, '-infinity'::timestamptz, 'infinity'::timestamptz
    from canonical_objects o where o.customer_id = $1 and o.id = $2
    union
    select a.alias_id, a.since, a.until, greatest(n.begins, a.since), least(n.ends, a.until)
    from named n cross join lateral ${mergedInto('n.id')} a
    where greatest(n.begins, a.since) < least(n.ends, a.until)
  )
  select n.id, n.since, n.until from named n`;

// Other types refer to customers but do not inherit their currency.
const referring = `platform, project_canonical_id, contract_canonical_id, invoice_canonical_id,
    case when entity_type = 'payment' then customer_canonical_id end as payer_canonical_id`;

// Parents with an ended version whose value differs from that of the next version, and those that were gone and came back.
function changesOf(parents: string, columns: readonly string[]): string {
  const cameBack = (records: string): string => `
    select came.since from ${parents} p
    join ${records} came on came.customer_id = $1 and came.canonical_id = p.id and came.platform = p.platform
    where exists (
      select from record_versions e where e.customer_id = $1 and e.canonical_id = p.id and e.platform = p.platform
        and e.until < came.since
    ) and not exists (
      select from record_versions n where n.customer_id = $1 and n.platform = came.platform
        and n.entity_type = came.entity_type and n.platform_id = came.platform_id and n.until = came.since)`;
  return `
    select ended.until from ${parents} p
    join record_versions ended on ended.customer_id = $1 and ended.canonical_id = p.id and ended.platform = p.platform
    left join lateral (
      select n.* from ${recordsAt('ended.until')} n
      where n.platform = ended.platform and n.entity_type = ended.entity_type and n.platform_id = ended.platform_id offset 0
    ) later on true
    where (${columnList('later', columns)}) is distinct from (${columnList('ended', columns)})
    union ${cameBack('platform_records')}
    union ${cameBack('record_versions')}`;
}

/**
 * SQL for whether a change of terms may show in the object: rates tell whether two platforms agree, rules have no part in
 * a state, and other terms are of one type. A customer may have many more changes of rates than an object has changes.
 */
const mayShow = `case
    when c.detail ->> 'kind' = 'rate' then (select count(distinct platform) > 1 from own)
    when c.detail ->> 'kind' = 'rule' then false
    when c.detail ->> 'kind' in ('precedence', 'field')
      then starts_with(c.detail ->> 'name', (select min(entity_type) || '.' from own))
    else true end`;

const parentsOf = (column: string): string =>
  `select distinct w.platform, w.${column} as id from own w where w.${column} is not null`;

/**
 * The times before `$3`, newest first, at which one of these changed: a record of the object, a value that a record
 * inherits, a value beside the records, the currency of a connection, or terms that may show in it. At most `$4` times, and none before
 * `$5`, from which history is complete (null for no limit). Only times are read here, not records. A change at such a
 * time may show in no field.
 */
const momentsBefore = `
  with ids as materialized (${idsOf}),
  own as materialized (
    select r.since, null::timestamptz as until, entity_type, ${referring} from platform_records r
    where r.customer_id = $1 and r.canonical_id in (select id from ids)
    union all
    select v.since, v.until, entity_type, ${referring} from record_versions v
    where v.customer_id = $1 and v.canonical_id in (select id from ids)
  ),
  invoices as materialized (${parentsOf('invoice_canonical_id')}),
  payers as materialized (${parentsOf('payer_canonical_id')}),
  contracts as materialized (${parentsOf('contract_canonical_id')}),
  projects as materialized (
    ${parentsOf('project_canonical_id')}
    union
    select n.platform, n.project_canonical_id from contracts c join platform_records n
      on n.customer_id = $1 and n.canonical_id = c.id and n.platform = c.platform
    where n.project_canonical_id is not null
    union
    select v.platform, v.project_canonical_id from contracts c join record_versions v
      on v.customer_id = $1 and v.canonical_id = c.id and v.platform = c.platform
    where v.project_canonical_id is not null
  ),
  moments as (
    -- The column is named here, because a cluster does not know names in a list after the relation's name.
    select since as at from own
    union select until from own
    union select e.until from extra_versions e where e.customer_id = $1 and e.canonical_id in (select id from ids)
    union select o.extra_since from canonical_objects o where o.customer_id = $1 and o.id in (select id from ids)
    union select f.until from connection_currencies f
      where f.customer_id = $1 and f.platform in (select platform from own) and f.until > (select min(since) from own)
    union ${changesOf('invoices', ['number', 'currency'])}
    union ${changesOf('payers', ['currency'])}
    union ${changesOf('contracts', ['currency', 'project_canonical_id'])}
    union ${changesOf('projects', ['currency'])}
    union select c.at from changes c
      where c.customer_id = $1 and c.origin = 'terms' and c.at > (select min(since) from own) and ${mayShow}
  )
  select (
    select json_object_agg(i.id, i.times) from (
      select n.id, coalesce(
        json_agg(json_build_object('since', coalesce(${timeText('n.since')}, ''), 'until', ${timeText('n.until')}))
          filter (where n.id <> $2), '[]') as times
      from ids n group by n.id
    ) i
  ) as ids, found.at from (select 1) always left join (
    select ${timeText('m.at')} as at from moments m
    where m.at < $3::timestamptz
      and ($5::timestamptz is null or m.at >= $5::timestamptz)
    order by m.at desc limit $4
  ) found on true`;

/** The times at which an object changed before a given time, latest first, and its IDs then. */
export function readMoments(
  tx: CustomerTransaction,
  object: string,
  {
    before,
    limit,
    since,
  }: { readonly before: string; readonly limit: number; readonly since: string | undefined },
): Promise<MomentRow[]> {
  return tx.query<MomentRow>(momentsBefore, [object, before, limit, since ?? null]);
}
