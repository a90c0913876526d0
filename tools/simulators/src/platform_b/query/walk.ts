import type { EntitySet } from '../model/entity-set';
import type { Field } from '../model/field';
import { valueOf, type Row } from '../store/row';
import type { RowOrder, Table } from '../store/table';
import { compareValues, fieldNamed } from './compare';
import { requiredValue } from './filter';
import type { QueryOptions } from './options';
import { predicateOf, type Predicate } from './predicate';
import { skipTokenOf, walkPlaceOf, type WalkPlace } from './skip-token';

/** A page of a walk. */
export interface WalkedPage {
  readonly rows: readonly Row[];
  /** The token behind the last row; undefined when nothing follows. */
  readonly next: string | undefined;
}

/** What a walk goes over, and how. */
export interface Walk {
  readonly set: EntitySet;
  readonly table: Table;
  readonly options: QueryOptions;
  /** Rows that the address restricts the walk to, beside the filter. */
  readonly within?: { readonly field: string; readonly value: string };
  /** The fields that make a key, which ends every order. */
  readonly key: readonly string[];
  readonly pageSize: number;
}

interface SortField {
  readonly name: string;
  readonly field: Field;
  readonly sign: 1 | -1;
}

/**
 * The page of a walk behind its place. The walk is by key: it goes on behind the last record sent, wherever that stands
 * now. What is inserted behind it is missed, and what is deleted shifts nothing.
 */
export function walkedPage(walk: Walk): WalkedPage {
  const { table, options } = walk;
  const fields = sortFieldsOf(walk);
  const place = options.skipToken === undefined ? undefined : walkPlaceOf(options.skipToken, fields.length);
  const left = place === undefined ? (options.top ?? null) : place.left;
  const wanted = Math.min(walk.pageSize, left ?? Infinity);
  const passes = predicateOfWalk(walk);
  const rows = candidatesOf(walk, fields, table);
  const found: Row[] = [];
  let toSkip = place === undefined ? options.skip : 0;
  let hasMore = false;
  for (let index = startOf(rows, fields, place); index < rows.length; index += 1) {
    const row = rows[index];
    if (row === undefined || !passes(row)) continue;
    if (toSkip > 0) {
      toSkip -= 1;
    } else if (found.length < wanted) {
      found.push(row);
    } else {
      hasMore = true;
      break;
    }
  }
  const last = found.at(-1);
  const rest = left === null ? null : left - found.length;
  if (!hasMore || last === undefined || rest === 0) return { rows: found, next: undefined };
  const key = fields.map(({ name }) => valueOf(last, name));
  return { rows: found, next: skipTokenOf({ key, left: rest }) };
}

/** How many rows the walk has in all. */
export function countOf(walk: Walk): number {
  const passes = predicateOfWalk(walk);
  let count = 0;
  for (const row of restricted(walk) ?? walk.table.all()) if (passes(row)) count += 1;
  return count;
}

function predicateOfWalk({ set, options, within }: Walk): Predicate {
  const filter = predicateOf(set, options.filter);
  const { shows } = set;
  return (row) =>
    (shows === undefined || shows(row.values)) &&
    (within === undefined || valueOf(row, within.field) === within.value) &&
    filter(row);
}

function sortFieldsOf({ set, options, key }: Walk): readonly SortField[] {
  const asked = options.orderBy.map(({ field, descending }): SortField => ({
    name: field,
    field: fieldNamed(set, field),
    sign: descending ? -1 : 1,
  }));
  const names = new Set(asked.map(({ name }) => name));
  const rest = [...key, 'id'].filter((name, index, all) => !names.has(name) && all.indexOf(name) === index);
  return [...asked, ...rest.map((name): SortField => ({ name, field: fieldNamed(set, name), sign: 1 }))];
}

// Few rows by an index, or all of them in an order that the table keeps.
function candidatesOf(walk: Walk, fields: readonly SortField[], table: Table): readonly Row[] {
  const order = orderOf(fields);
  const few = restricted(walk);
  if (few !== undefined) return [...few].sort(order);
  return table.inOrder(fields.map(({ name, sign }) => `${name} ${sign}`).join(), order);
}

function restricted({ set, table, options, within }: Walk): readonly Row[] | undefined {
  if (within !== undefined && table.indexed.includes(within.field))
    return table.by(within.field, within.value);
  const id = requiredValue(options.filter, 'id');
  if (id !== undefined) return [table.get(id.toLowerCase())].filter((row) => row !== undefined);
  for (const name of table.indexed) {
    const value = requiredValue(options.filter, name);
    const kind = set.fields.get(name)?.kind;
    if (value === undefined || (kind !== 'guid' && kind !== 'code')) continue;
    return table.by(name, kind === 'guid' ? value.toLowerCase() : value.trim().toUpperCase());
  }
  return undefined;
}

function orderOf(fields: readonly SortField[]): RowOrder {
  return (one, other) => {
    for (const { name, field, sign } of fields) {
      const order = compareValues(field, valueOf(one, name), valueOf(other, name));
      if (order !== 0) return order * sign;
    }
    return 0;
  };
}

// The first row behind the place, by halving.
function startOf(rows: readonly Row[], fields: readonly SortField[], place: WalkPlace | undefined): number {
  if (place === undefined) return 0;
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row !== undefined && isBehind(row, fields, place)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function isBehind(row: Row, fields: readonly SortField[], { key }: WalkPlace): boolean {
  for (const [index, { name, field, sign }] of fields.entries()) {
    const order = compareValues(field, valueOf(row, name), key[index] ?? null) * sign;
    if (order !== 0) return order > 0;
  }
  return false;
}
