import { ExactNumber, stringifyJson, type JsonObject, type JsonValue } from '@app/mapper';
import type { Company } from '../company/company';
import { kindOfTable } from '../company/document-kinds';
import { read as readDocument } from '../company/documents';
import type { EntitySet, Part } from '../model/entity-set';
import type { Route } from '../model/pages';
import { pages } from '../model/pages';
import { fieldNamed } from '../query/compare';
import type { QueryOptions } from '../query/options';
import { walkedPage } from '../query/walk';
import { badQuery } from '../odata-error';
import { textOf, type Row } from '../store/row';
import type { StoreSnapshot } from '../store/store';

/** The source of a read, and its options. */
export interface View {
  readonly company: Company;
  /** The tables, or a replica of them. */
  readonly reading: StoreSnapshot;
  readonly route: Route;
  /** Whether the caller may write: then reading a draft distributes its discount. */
  readonly mayWrite: boolean;
  readonly decimalsAsText: boolean;
}

/** A row in the form of its page, with the requested inner pages. The read may change the row. */
export function shown(view: View, set: EntitySet, found: Row, options: QueryOptions): JsonObject {
  const row = readRow(view, set, found);
  const names = options.select ?? [...set.fields.keys()];
  const entries = names.map((name): [string, JsonValue] => {
    fieldNamed(set, name);
    return [name, shownValue(view, set, name, row.values[name] ?? null)];
  });
  const parts = options.expand.map(({ part: name, options: inner }): [string, JsonValue] => [
    name,
    shownPart(view, partNamed(set, name), row, inner),
  ]);
  return { '@odata.etag': row.etag, ...Object.fromEntries(entries), ...Object.fromEntries(parts) };
}

/** The row after a read. */
function readRow({ company, mayWrite }: View, set: EntitySet, row: Row): Row {
  const kind = kindOfTable(set.table);
  return mayWrite && kind?.table === set.table ? readDocument(company, kind, row) : row;
}

/** The page inside another. @throws ODataError for one that is not there */
function partNamed(set: EntitySet, name: string): Part {
  const part = set.parts.get(name);
  if (part === undefined) {
    throw badQuery(`Could not find a property named '${name}' on type 'Microsoft.NAV.${set.type}'.`);
  }
  return part;
}

/** The page with a name that is known to exist. */
export function pageNamed(route: Route, name: string): EntitySet {
  const set = pages[route].get(name) ?? pages.standard.get(name);
  if (set === undefined) throw new Error(`no page ${name}`);
  return set;
}

function shownPart(view: View, part: Part, row: Row, options: QueryOptions): JsonValue {
  const set = pageNamed(view.route, part.set);
  const table = view.reading.table(set.table);
  const value = textOf(row, part.ours);
  if (!part.many) {
    const other = part.theirs === 'id' ? table.get(value) : table.by(part.theirs, value)[0];
    return other === undefined ? null : shown(view, set, other, options);
  }
  const { rows } = walkedPage({
    set,
    table,
    options,
    within: { field: part.theirs, value },
    key: keyOfPart(set),
    pageSize: Infinity,
  });
  return rows.map((inner) => shown(view, set, inner, options));
}

/** Lines and payments are listed in their order. */
export function keyOfPart(set: EntitySet): readonly string[] {
  return ['sequence', 'lineNumber'].filter((name) => set.fields.has(name));
}

function shownValue(view: View, set: EntitySet, name: string, value: JsonValue): JsonValue {
  if (name === 'currencyCode' && set.table === 'customerPayments' && value === '') {
    return view.company.switches.get('paymentCurrencyOfOwn') === 'code'
      ? view.company.facts.localCurrency
      : value;
  }
  if (!view.decimalsAsText || set.fields.get(name)?.kind !== 'decimal') return value;
  return typeof value === 'number' || value instanceof ExactNumber ? stringifyJson(value) : value;
}
