import type { Company } from '../company/company';
import { ODataError, unknownSegment, wrongMethod } from '../odata-error';
import type { EntitySet } from '../model/entity-set';
import { pages } from '../model/pages';
import { textOf, type Row } from '../store/row';
import type { Table } from '../store/table';
import type { StoreSnapshot } from '../store/store';
import type { Segment } from './address';
import type { ApiCall } from './api-call';
import { pageNamed } from './present';

/** What an address below a company names. */
export type Target =
  | {
      readonly kind: 'list';
      readonly set: EntitySet;
      /** Set where the list is the page inside a record. */
      readonly within?: { readonly field: string; readonly value: string };
      readonly isCount: boolean;
    }
  | { readonly kind: 'record'; readonly set: EntitySet; readonly row: Row }
  | { readonly kind: 'action'; readonly set: EntitySet; readonly row: Row; readonly action: string };

const ACTION = 'Microsoft.NAV.';

/**
 * Finds what the segments behind the company name.
 *
 * @throws ODataError 404 for unknown segments and records
 */
export function targetOf(
  company: Company,
  reading: StoreSnapshot,
  call: ApiCall,
  segments: readonly Segment[],
): Target {
  const [first, ...rest] = segments;
  const set = first === undefined ? undefined : pages[call.route].get(first.name);
  if (first === undefined || set === undefined) throw unknownSegment(first?.name ?? call.path);
  return within(company, reading, call, set, first, undefined, rest);
}

function within(
  company: Company,
  reading: StoreSnapshot,
  call: ApiCall,
  set: EntitySet,
  segment: Segment,
  inside: { readonly field: string; readonly value: string } | undefined,
  rest: readonly Segment[],
): Target {
  const [next, ...further] = rest;
  if (segment.key === undefined) {
    const list = { kind: 'list', set, ...(inside === undefined ? {} : { within: inside }) } as const;
    if (next === undefined) return { ...list, isCount: false };
    if (next.name === '$count' && further.length === 0) return { ...list, isCount: true };
    throw unknownSegment(next.name);
  }
  const row = rowAt(company, reading.table(set.table), set, segment, inside);
  if (next === undefined) return { kind: 'record', set, row };
  if (next.name.startsWith(ACTION) && further.length === 0) {
    return { kind: 'action', set, row, action: next.name.slice(ACTION.length) };
  }
  const part = set.parts.get(next.name);
  if (part === undefined) throw unknownSegment(next.name);
  const inner = pageNamed(call.route, part.set);
  const value = textOf(row, part.ours);
  if (part.many) {
    return within(company, reading, call, inner, next, { field: part.theirs, value }, further);
  }
  if (further.length > 0 || next.key !== undefined) throw unknownSegment(next.name);
  if (call.method !== 'GET') throw wrongMethod(call.method);
  const other = reading.table(inner.table).get(value);
  if (other === undefined) throw recordNotFound(company, inner);
  return { kind: 'record', set: inner, row: other };
}

function rowAt(
  company: Company,
  table: Table,
  set: EntitySet,
  { key }: Segment,
  inside: { readonly field: string; readonly value: string } | undefined,
): Row {
  if (key?.kind !== 'guid') {
    throw new ODataError(
      400,
      'BadRequest_InvalidRequestUrl',
      'The key of the segment must be a GUID without quotes.',
    );
  }
  const row = table.get(key.value);
  const isShown = row !== undefined && (set.shows === undefined || set.shows(row.values));
  if (!isShown || (inside !== undefined && textOf(row, inside.field) !== inside.value)) {
    throw recordNotFound(company, set);
  }
  return row;
}

/** A key that no record has. */
function recordNotFound(company: Company, { type }: EntitySet): ODataError {
  return new ODataError(
    company.switches.get('recordNotFoundStatus'),
    'Internal_RecordNotFound',
    `The ${type} does not exist. Identification fields and values: Id`,
  );
}
