import { idPrefixes } from '@app/mapper';
import { timeText } from '../../database/transaction/time-text';
import type { Selection } from './selection';
import {
  documentDateOf,
  selectionConditions,
  type FindingWay,
  type FoundCondition,
  type ParameterOf,
  type SelectionCondition,
} from './selection-conditions';

/** Comes after every key of an order and every native ID, none of which is longer. U+10FFFF is the last character. */
export const LAST_OF_ALL = '\u{10ffff}'.repeat(300);

/** A selection of which only the next few records may be examined, without use of the indexes of its conditions. */
export type Probed<Of extends Selection> = Of & { readonly isProbe?: boolean };

/** The order of a listing. */
export interface ListingOrder {
  /**
   * SQL for the first value by which the listing is ordered, of a key `k`. Native IDs come second, or nothing. An empty
   * value comes before all others.
   */
  readonly key: string;
  /** The column of the key, if its index has null instead of empty keys. */
  readonly nullable?: string;
  readonly isDescending: boolean;
  /** SQL that follows `order by`, for columns that hold the two. */
  readonly inOrder: (...columns: readonly string[]) => string;
}

/** The order that a selection is listed in. An index has the keys in this order. */
export function orderOf({ platform, sort }: Selection): ListingOrder {
  const isDescending = sort?.startsWith('-') === true;
  return {
    ...keyOf(platform, sort),
    isDescending,
    inOrder: (...columns) => turned(!isDescending, ...columns),
  };
}

function keyOf(
  platform: Selection['platform'],
  sort: Selection['sort'],
): Pick<ListingOrder, 'key' | 'nullable'> {
  switch (sort) {
    case undefined:
      return { key: platform === undefined ? 'k.id' : 'k.native_order' };
    case 'number':
    case '-number':
      return { key: `coalesce(k.business_key, '')`, nullable: 'k.business_key' };
    case 'date':
    case '-date':
      return { key: documentDateOf('k') };
    case 'amount':
    case '-amount':
      return { key: `coalesce(k.amount_order, '')` };
  }
}

function turned(isAscending: boolean, ...columns: readonly string[]): string {
  return columns.map((column) => `${column} ${isAscending ? 'asc' : 'desc'}`).join(', ');
}

/** The conditions that a selection has, with the names of their parameters. */
export function conditionsOf(
  selection: Selection,
): readonly { readonly condition: SelectionCondition; readonly names: readonly string[] }[] {
  return selectionConditions.flatMap((condition) => {
    const values = condition.valuesOf(selection);
    return values === undefined ? [] : [{ condition, names: Object.keys(values) }];
  });
}

/**
 * How a statement evaluates a condition of a selection. One object has few records to examine. Deleted records have no
 * index of their content, so most conditions examine them.
 */
export function wayOf(
  condition: SelectionCondition,
  { canonicalId, includeDeleted, isProbe }: Probed<Selection>,
): FindingWay {
  if (condition.by !== 'found') return condition.by;
  if (canonicalId !== undefined) return 'led';
  const isLed = includeDeleted !== true || condition.leadsToDeleted === true;
  return isProbe !== true && isLed ? 'found' : 'examined';
}

/**
 * SQL for `chosen`, the keys of the page and the key after them, and for the last record that was examined to find
 * them.
 */
export function keysOf(
  selection: Probed<Selection>,
  names: readonly string[],
  parameter: ParameterOf,
): { readonly sql: string; readonly scan: string } {
  const includeDeleted = selection.includeDeleted === true;
  const { inOrder, isDescending, nullable } = orderOf(selection);
  const limitedTo = (limit: string): string =>
    `order by ${inOrder('native_order', 'platform_id')} limit ${limit}`;
  const of = (way: FindingWay): string => conditionsBy(way, selection, parameter);
  const most = `${parameter('records')} + 1`;
  const chosen = '(select count(*) from chosen)::int as chosen';
  const keysThat = (conditions: string, limit: string): string => {
    if (nullable === undefined) {
      return `${keysIn(selection, parameter, `${after(selection, parameter)} ${conditions}`)} ${limitedTo(limit)}`;
    }
    const parts = afterNullable(selection, parameter, nullable).map(
      (behind) => `(${keysIn(selection, parameter, `${behind} ${conditions}`)}
        order by ${inOrder(nullable, 'k.platform_id')} limit ${limit})`,
    );
    return `select * from (${parts.join(' union all ')}) k ${limitedTo(limit)}`;
  };
  if (!names.includes('walked')) {
    return {
      sql: `chosen as materialized (${includeDeleted ? allKeysIn(selection, parameter, of('led'), most) : keysThat(of('led'), most)})`,
      scan: `select ${chosen}, 0 as looked_at, null::text as last_order, null::text as last_platform_id`,
    };
  }
  const walked = parameter('walked');
  const lastOf = (column: string): string =>
    `(select l.${column} from looked_at l
      order by ${turned(isDescending, 'l.native_order', 'l.platform_id')} limit 1)`;
  const { entityType } = selection;
  const ways = foundConditions(selection);
  const examined = ways.length === 0 ? walked : parameter('examined');
  const counted = (place: number): string => `(select count(*) from met_${place})`;
  const isFound = ways.map((_, place) => `${counted(place)} < ${examined}`).join(' or ');
  const inTheirOrder = `${of('led')} ${ways.length === 0 ? '' : `and not (${isFound})`}`;
  const next = includeDeleted
    ? allKeysIn(selection, parameter, inTheirOrder, walked)
    : keysThat(inTheirOrder, walked);
  const keysOfObject = (conditions: string): string =>
    includeDeleted ? allKeysIn(selection, parameter, conditions) : keysIn(selection, parameter, conditions);
  // Of one condition all that its index leads to, if this is little. It is the first condition of which this is so.
  const foundBy = (_: FoundCondition, place: number): string => `
    select f.* from (select distinct canonical_id from met_${place}) met
    cross join lateral (${keysOfObject(`and k.canonical_id = met.canonical_id ${of('led')}`)} offset 0) f
    where ${
      ways
        .map((__, other) => `${counted(other)} >= ${examined}`)
        .slice(0, place)
        .join(' and ') || 'true'
    }
      and ${counted(place)} < ${examined} ${after(selection, parameter, 'f')}`;
  const met = ways.map(
    ({ leadsTo }, place) => `met_${place} as materialized (${leadsTo(parameter, entityType, examined)})`,
  );
  // Keys are put in order before the conditions are evaluated, and these of no more keys than the page needs.
  const looks = `looked_at as materialized (${[...ways.map(foundBy), `(${next})`].join(' union all ')})`;
  const walkedOver = '(select count(*) from looked_at)::int';
  return {
    sql: `${[...met, looks].join(', ')},
    chosen as materialized (
      select k.* from (
        select l.* from looked_at l order by ${inOrder('l.native_order', 'l.platform_id')} offset 0) k
      where true ${of('found')} ${of('examined')}
      ${limitedTo(most)})`,
    // If an index leads to all records, there are none after them.
    scan: `select ${chosen},
      ${ways.length === 0 ? walkedOver : `case when ${isFound} then 0 else ${walkedOver} end`} as looked_at,
      ${lastOf('native_order')} as last_order, ${lastOf('platform_id')} as last_platform_id`,
  };
}

/** SQL of the relations that the conditions of a selection use, each followed by a comma. */
export function relationsOf(selection: Selection, parameter: ParameterOf): string {
  return conditionsOf(selection)
    .flatMap(({ condition }) => condition.relations?.(parameter) ?? [])
    .map((relation) => `${relation}, `)
    .join('');
}

/** The conditions of a selection to whose records an index leads, in no order. */
export function foundConditions(selection: Probed<Selection>): readonly FoundCondition[] {
  return conditionsOf(selection).flatMap(({ condition }) =>
    condition.by === 'found' && wayOf(condition, selection) === 'found' ? [condition] : [],
  );
}

/** SQL for the conditions of a selection that are met in one way, each with `and` before it. */
function conditionsBy(way: FindingWay, selection: Probed<Selection>, parameter: ParameterOf): string {
  return conditionsOf(selection)
    .filter(({ condition }) => wayOf(condition, selection) === way)
    .map(({ condition }) => `and ${condition.sql(parameter, selection.includeDeleted === true)}`)
    .join(' ');
}

/** SQL condition: the key comes after the position. */
function after(selection: Selection, parameter: ParameterOf, alias?: string): string {
  const [order, id] = [parameter('order'), parameter('id')];
  const { key, isDescending } = orderOf(selection);
  if (alias === undefined && selection.platform === undefined) return `and ${key} > ${order} and ${id} = ''`;
  const own = alias === undefined ? `${key}, k.platform_id` : `${alias}.native_order, ${alias}.platform_id`;
  return `and (${own}) ${isDescending ? '<' : '>'} (${order}, ${id})`;
}

/**
 * SQL conditions like {@link after}, separately for keys with null and without it, because an index leads to each of
 * the two ranges but not to both with one condition.
 */
function afterNullable(
  selection: Selection,
  parameter: ParameterOf,
  nullable: string,
): readonly [present: string, absent: string] {
  const [order, id] = [parameter('order'), parameter('id')];
  const sign = orderOf(selection).isDescending ? '<' : '>';
  // After a key that is not empty come all records without a key, or none.
  const absentBehind = `case when ${order} = '' then ${id} else '${LAST_OF_ALL}' end`;
  return [
    `and ${nullable} is not null and (${nullable}, k.platform_id) ${sign} (${order}, ${id})`,
    `and ${nullable} is null and k.platform_id ${sign} ${absentBehind}`,
  ];
}

/** SQL for the keys of a selection, in no order: those of a platform's present records, or of objects. */
export function keysIn(selection: Selection, parameter: ParameterOf, conditions: string): string {
  const { platform, entityType } = selection;
  const type = parameter('type');
  const { key } = orderOf(selection);
  if (platform !== undefined) {
    return `select k.canonical_id, ${key} as native_order, k.platform_id from platform_records k
      where k.customer_id = $1 and k.platform = ${parameter('platform')} and k.entity_type = ${type} ${conditions}`;
  }
  // The prefix bounds the part of the index that is read.
  const prefix = idPrefixes[entityType];
  return `select k.canonical_id, ${key} as native_order, '' as platform_id
    from (select o.customer_id, o.id, o.id as canonical_id from canonical_objects o
      where o.customer_id = $1 and o.entity_type = ${type} and o.id > '${prefix}_' and o.id < '${prefix}\`') k
    where exists (select 1 from platform_records p where p.customer_id = $1 and p.canonical_id = k.canonical_id)
      ${conditions}`;
}

/**
 * SQL for the first keys of a platform's records, deleted ones included. They are ordered by native ID.
 *
 * @param most SQL for how many they are at most; all unless given
 */
function allKeysIn(selection: Selection, parameter: ParameterOf, conditions: string, most = 'all'): string {
  const keys = (table: string, deletedAt: string, more: string): string => `
    select k.canonical_id, k.native_order, k.platform_id, ${deletedAt} as deleted_at from ${table} k
    where k.customer_id = $1 and k.platform = ${parameter('platform')} and k.entity_type = ${parameter('type')}
      ${after(selection, parameter)} ${conditions} ${more}
    order by native_order, platform_id limit ${most}`;
  const present = keys('platform_records', 'null::text', '');
  // A record that a write of this service has created again is present, even if its deleted form is stored.
  const gone = keys(
    'deleted_records',
    timeText('k.deleted_at'),
    `and not exists (select 1 from platform_records r where r.customer_id = $1 and r.platform = ${parameter('platform')}
       and r.entity_type = ${parameter('type')} and r.platform_id = k.platform_id)`,
  );
  return `
    select * from ((${present}) union all (${gone})) k
    order by k.native_order, k.platform_id limit ${most}`;
}
