import { isJsonObject, ownMember, type JsonObject, type JsonValue } from '@app/mapper';
import { ControlError, type Edit } from '../server';
import type { Company, Draft } from './company/company';
import { kindOfTable } from './company/document-kinds';
import { documentOf } from './company/document-lines';
import { recomputed } from './company/documents';
import { setLineAmounts } from './company/amounts';
import { postJournal } from './company/journals';
import { cancelInvoice, postInvoice, shipAndInvoice } from './company/posting';
import { paymentsWithCurrency } from './model/master-pages';
import type { TableName } from './model/entity-set';
import { pages } from './model/pages';
import { ODataError } from './odata-error';
import { textOf, type Row } from './store/row';
import { tableNames } from './store/store';

const where = '"table" and "id", or "field" and "value" that one row has';

/** What people do to the company at their screens, by no API: no rule of a page stands in their way. */
export function companyEdits(company: Company): Readonly<Record<string, Edit>> {
  const edit = (about: string, work: (input: JsonObject) => JsonValue): Edit => ({
    about,
    run: (input) =>
      refusalsAsControl(() => company.caused('edit', () => company.store.transaction(() => work(input)))),
  });
  const withRow = (about: string, work: (table: TableName, row: Row, input: JsonObject) => Row): Edit =>
    edit(`${about}; takes ${where}`, (input) => {
      const table = tableIn(input);
      return shownRow(work(table, rowIn(company, table, input), input));
    });
  const setStatus = (status: string, about: string): Edit =>
    withRow(about, (table, row) => {
      if (table !== 'salesOrders' && table !== 'salesInvoices')
        throw new ControlError('only a document has a status');
      if (row.posted === true) throw new ControlError('the invoice is posted');
      return company.save(table, row, { ...row.values, status });
    });
  return {
    read_records: edit('Gives all rows of a table as they are: {table}', (input) =>
      [...company.store.table(tableIn(input)).all()].map(shownRow),
    ),
    update: withRow('Sets "fields" of a row', (table, row, input) =>
      updated(company, table, row, fieldsIn(input)),
    ),
    insert: edit('Inserts a row of "table" with "fields"; all others are blank', (input) => {
      const table = tableIn(input);
      return shownRow(inserted(company, table, fieldsIn(input)));
    }),
    remove: edit(`Removes a row, a document with its lines; takes ${where}`, (input) => {
      const table = tableIn(input);
      removed(company, table, rowIn(company, table, input));
      return {};
    }),
    touch: withRow('Gives a row a new etag and time, and changes nothing', (table, row) =>
      company.save(table, row, row.values),
    ),
    release: setStatus('Open', 'Releases an order or a draft invoice'),
    reopen: setStatus('Draft', 'Opens an order or an invoice that is not posted again'),
    request_approval: setStatus('In_x0020_Review', 'Sends an order or a draft invoice for approval'),
    post: withRow('Posts a draft invoice or a journal, or ships and invoices an order', (table, row) => {
      if (table === 'salesInvoices') return postInvoice(company, row);
      if (table === 'salesOrders') return shipAndInvoice(company, row);
      if (table === 'customerPaymentJournals') return postJournal(company, row);
      throw new ControlError('only an invoice, an order or a journal can be posted');
    }),
    cancel: withRow('Cancels a posted invoice', (table, row) => {
      if (table !== 'salesInvoices') throw new ControlError('only an invoice can be cancelled');
      return cancelInvoice(company, row);
    }),
  };
}

/** A row as the control port shows it. */
export function shownRow(row: Row): JsonObject {
  return { '@odata.etag': row.etag, ...row.values, ...(row.posted === true && { posted: true }) };
}

/** The name of a table in an input. @throws ControlError */
function tableIn(input: JsonObject): TableName {
  const name = ownMember(input, 'table');
  const table = tableNames.find((known) => known === name);
  if (table === undefined) throw new ControlError(`"table" is one of ${tableNames.join(', ')}`);
  return table;
}

function rowIn(company: Company, table: TableName, input: JsonObject): Row {
  const id = ownMember(input, 'id');
  const field = ownMember(input, 'field');
  const value = ownMember(input, 'value');
  const row =
    typeof id === 'string'
      ? company.store.table(table).get(id)
      : typeof field === 'string'
        ? [...company.store.table(table).all()].find(({ values }) => ownMember(values, field) === value)
        : undefined;
  if (row === undefined) throw new ControlError(`there is no such row of ${table}; name it by ${where}`);
  return row;
}

function fieldsIn(input: JsonObject): JsonObject {
  const fields = ownMember(input, 'fields');
  if (!isJsonObject(fields)) throw new ControlError('"fields" is an object of values');
  return fields;
}

function updated(company: Company, table: TableName, row: Row, fields: JsonObject): Row {
  const kind = kindOfTable(table);
  const draft: Draft = { ...row.values, ...fields };
  if (kind?.lines === table) {
    const document = documentOf(company, kind, row);
    setLineAmounts(draft, company.places(textOf(document, 'currencyCode')), false);
    const line = company.save(table, row, draft);
    recomputed(company, kind, document);
    return line;
  }
  return company.save(table, row, draft);
}

function inserted(company: Company, table: TableName, fields: JsonObject): Row {
  const page =
    table === 'customerPayments'
      ? paymentsWithCurrency
      : [...pages.standard.values()].find((set) => set.table === table);
  const draft: Draft = { ...(page === undefined ? {} : company.blank(page)), ...fields };
  const kind = kindOfTable(table);
  const row = company.insert(table, draft);
  if (kind?.lines !== table) return row;
  const document = documentOf(company, kind, row);
  setLineAmounts(draft, company.places(textOf(document, 'currencyCode')), false);
  const line = company.save(table, row, { ...draft, id: row.id });
  recomputed(company, kind, document);
  return line;
}

function removed(company: Company, table: TableName, row: Row): void {
  const kind = kindOfTable(table);
  if (kind?.table === table) {
    for (const line of company.store.table(kind.lines).by('documentId', row.id))
      company.store.remove(kind.lines, line.id);
    company.store.remove(table, row.id);
    return;
  }
  const document = kind === undefined ? undefined : documentOf(company, kind, row);
  company.store.remove(table, row.id);
  if (kind !== undefined && document !== undefined) recomputed(company, kind, document);
}

// What a rule of the ERP refuses, it refuses to people as well.
function refusalsAsControl<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof ODataError) throw new ControlError(error.message);
    throw error;
  }
}
