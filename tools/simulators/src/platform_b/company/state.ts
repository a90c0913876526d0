import { isJsonArray, isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import { textOf, type Row } from '../store/row';
import { tableNames } from '../store/store';
import { marksOf, type Company } from './company';

/** All rows of a company, as JSON. */
export function stateOf(company: Company): JsonObject {
  return Object.fromEntries(
    tableNames.map((name) => [
      name,
      [...company.store.table(name).all()].map((row): JsonObject => ({
        id: row.id,
        etag: row.etag,
        values: row.values,
        ...marksOf(row),
      })),
    ]),
  );
}

/** Fills an empty company with the rows of an earlier run. @throws Error for what {@link stateOf} has not made */
export function restoreState(company: Company, state: JsonValue): void {
  if (!isJsonObject(state)) throw new Error('the state holds no tables');
  company.store.transaction(() => {
    for (const name of tableNames) {
      const rows = ownMember(state, name) ?? [];
      if (!isJsonArray(rows)) throw new Error(`the state holds no ${name}`);
      for (const row of rows) company.store.put(name, rowFrom(row));
    }
  });
  learn(company);
}

function rowFrom(value: JsonValue): Row {
  if (!isJsonObject(value)) throw new Error('a row of the state is no object');
  const { id, etag, values, posted, unread } = value;
  if (typeof id !== 'string' || typeof etag !== 'string' || !isJsonObject(values)) {
    throw new Error('a row of the state has no key, etag or values');
  }
  return { id, etag, values, ...(posted === true && { posted }), ...(unread === true && { unread }) };
}

// What the company knows beside its rows follows from them.
function learn(company: Company): void {
  const { store, series, codes } = company;
  const each = (name: (typeof tableNames)[number], use: (row: Row) => void): void => {
    for (const row of store.table(name).all()) use(row);
  };
  each('customers', (row) => {
    series.used('customers', textOf(row, 'number'));
    codes.salespersons.add(textOf(row, 'salespersonCode'));
  });
  each('projects', (row) => series.used('projects', textOf(row, 'number')));
  each('customerPayments', (row) => series.used('receipts', textOf(row, 'documentNumber')));
  for (const name of ['salesOrders', 'salesInvoices'] as const) {
    each(name, (row) => {
      series.used(
        name === 'salesOrders' ? name : row.posted ? 'postedInvoices' : 'draftInvoices',
        textOf(row, 'number'),
      );
      codes.salespersons.add(textOf(row, 'salesperson'));
      codes.dimensionValues.add(textOf(row, 'shortcutDimension1Code'));
      codes.dimensionValues.add(textOf(row, 'shortcutDimension2Code'));
    });
  }
}
