import { columnList } from '../../database/column-list';
import { platformNames } from '@app/mapper';
import { referringTo } from '../objects/referring-records';
import { referringTypes } from '../platform-records/type-traits';

/** Types of records from which others inherit. */
const parentTypes = ['project', 'customer', 'contract', 'invoice'] as const;
type ParentType = (typeof parentTypes)[number];

/** Columns whose values a record inherits from another record. */
interface InheritedColumns {
  /**
   * SQL for the canonical ID of the other record, which is of the same platform. The inheriting record has the alias
   * `r`.
   */
  readonly parent: string;
  /** The type of the other record. */
  readonly type: ParentType;
  readonly columns: readonly ['number' | 'currency' | 'project_canonical_id', ...string[]];
}

/** All values that `copyQuery` reads from other records to derive a record's canonical data. */
const inheritedColumns: readonly InheritedColumns[] = [
  { parent: 'r.invoice_canonical_id', type: 'invoice', columns: ['number', 'currency'] },
  {
    parent: `case when r.entity_type = 'payment' then r.customer_canonical_id end`,
    type: 'customer',
    columns: ['currency'],
  },
  { parent: 'r.contract_canonical_id', type: 'contract', columns: ['currency', 'project_canonical_id'] },
  { parent: 'r.project_canonical_id', type: 'project', columns: ['currency'] },
  {
    parent: `(select n.project_canonical_id from platform_records n
      where n.customer_id = $1 and n.canonical_id = r.contract_canonical_id and n.platform = r.platform)`,
    type: 'project',
    columns: ['currency'],
  },
];

/**
 * SQL condition: the row's canonical object may have changed since the given time. A change may concern its records,
 * the numbers and currencies that these inherit, the currencies of their connections, or the values beside the records.
 * `$1` must be the customer.
 *
 * The condition selects too many objects rather than too few. A changed record counts even if no canonical field shows
 * the change, a changed currency of a connection counts for every object with a record there, and changed terms of the
 * customer count for all its objects.
 *
 * @param alias of the row
 * @param since the parameter that holds the time, such as `$9`
 * @param parents the relation of {@link changedParents}, where the statement has it already
 */
export function changedSince(alias: string, since: string, parents = changedParents(since)): string {
  const time = `${since}::timestamptz`;
  // With the limit the planner reads the rows of one object after the other, and never those of all objects.
  const has = (rows: string): string => `coalesce((select true from ${rows} limit 1), false)`;
  const ofObject = (row: string): string =>
    `${row}.customer_id = $1 and ${row}.canonical_id = ${alias}.canonical_id`;
  return `(
    ${changedForAll(time)}
    or ${has(`record_versions v where ${ofObject('v')} and v.until > ${time}`)}
    or ${has(`canonical_objects o
      where o.customer_id = $1 and o.id = ${alias}.canonical_id and o.extra_since > ${time}`)}
    or ${has(`platform_records r where ${ofObject('r')}
      and (r.since > ${time}
        or exists (select 1 from connection_currencies f
          where f.customer_id = $1 and f.platform = r.platform and f.until > ${time})
        or ${inheritedColumns.map((taken) => inheritedValueChanged(taken, time, parents)).join(' or ')})`)}
  )`;
}

/** The most changed parents of a type that are listed. If there are more, the values of rows are compared instead. */
const FEW_PARENTS = 1_000;

/**
 * SQL for the records that changed since a time and from which others inherit: a relation of `entity_type` and
 * `canonical_id`. It reads indexes that have the type before the time. It holds at most {@link FEW_PARENTS} records of a type from
 * each table. `$1` must be the customer.
 *
 * @param since the parameter that holds the time
 */
export function changedParents(since: string): string {
  const of = (type: ParentType, table: string, column: string): string => `
    (select c.entity_type, c.canonical_id from ${table} c
      where c.customer_id = $1 and c.entity_type = '${type}' and c.${column} > ${since}::timestamptz limit ${FEW_PARENTS})`;
  const each = parentTypes.flatMap((type) => [
    of(type, 'platform_records', 'since'),
    of(type, 'record_versions', 'until'),
  ]);
  return `(${each.join(' union all ')})`;
}

/**
 * SQL for the canonical IDs of the objects of a type that {@link changedSince} may select, found by indexes. The result may
 * contain other objects, and an ID several times. `$1` must be the customer. If indexes cannot find the objects, because
 * terms, currencies, a customer record or too many records changed, the result holds any objects of the type, up to `most`.
 *
 * @param since the parameter that holds the time
 * @param type the parameter that holds the type
 * @param most SQL for the number of rows from which on there are too many
 */
export function touchedSince(since: string, type: string, most: string): string {
  const time = `${since}::timestamptz`;
  const limit = `limit ${most}`;
  const relations = ['touched', 'referring', 'referring_again'];
  // Where too much changed, what refers to it is not looked for.
  const isFew = `(select count(*) from touched) < ${most}`;
  return `
    with touched as materialized (
      (select r.canonical_id, r.entity_type from platform_records r
        where r.customer_id = $1 and r.since > ${time} ${limit})
      union all
      (select v.canonical_id, v.entity_type from record_versions v
        where v.customer_id = $1 and v.until > ${time} ${limit})
      union all
      (select o.id, o.entity_type from canonical_objects o
        where o.customer_id = $1 and o.extra_since > ${time} ${limit})
    ),
    parents as materialized (
      select distinct canonical_id, entity_type from touched where ${isFew}),
    referring as materialized (${referringTo('parents', referringTypes, limit)}),
    referring_again as materialized (${referringTo('referring', referringTypes, limit)}),
    beyond as materialized (select (
      ${relations.map((relation) => `(select count(*) from ${relation}) >= ${most}`).join(' or ')}
      or exists (select 1 from touched where entity_type = 'customer')
      or ${changedForAll(time)}
      or exists (select 1 from connection_currencies f where f.customer_id = $1 and f.until > ${time})) as is_beyond)
    select * from (
      ${relations.map((relation) => `select canonical_id from ${relation} where entity_type = ${type}`).join(' union all ')}
      union all
      (select r.canonical_id from platform_records r
        where (select is_beyond from beyond) and r.customer_id = $1 and r.entity_type = ${type}
          and r.platform in (${platformNames.map((name) => `'${name}'`).join(', ')})
        ${limit})
    ) led ${limit}`;
}

const changedForAll = (time: string): string =>
  `exists (select 1 from changes c where c.customer_id = $1 and c.origin = 'terms' and c.at > ${time})`;

// SQL condition: a parent's value differs from its value at the time, or the parent was added or removed since. For most
// rows no parent has changed, so the condition begins with the list of changed parents, which is evaluated first.
function inheritedValueChanged(
  { parent, type, columns }: InheritedColumns,
  time: string,
  parents: string,
): string {
  const ofType = `from ${parents} changed where changed.entity_type = '${type}'`;
  const count = `(select count(*) ${ofType})`;
  return `(${count} > 0 and (${count} >= ${FEW_PARENTS} or ${parent} in (select changed.canonical_id ${ofType})) and (exists (
      select 1 from record_versions v
      left join platform_records p
        on p.customer_id = $1 and p.canonical_id = v.canonical_id and p.platform = v.platform
      where v.customer_id = $1 and v.canonical_id = ${parent} and v.platform = r.platform and v.until > ${time}
        and (p.platform_id is null or (${columnList('p', columns)}) is distinct from (${columnList('v', columns)}))
    ) or exists (
      select 1 from platform_records p
      where p.customer_id = $1 and p.canonical_id = ${parent} and p.platform = r.platform and p.since > ${time}
        and not exists (select 1 from record_versions v
          where v.customer_id = $1 and v.canonical_id = p.canonical_id and v.platform = p.platform and v.until > ${time})
    )))`;
}
