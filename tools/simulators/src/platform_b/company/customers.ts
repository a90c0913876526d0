import { refusedByRule } from '../odata-error';
import type { EntitySet } from '../model/entity-set';
import { textOf, type Row } from '../store/row';
import type { Body } from './body';
import { textIn, type Company, type Draft } from './company';
import { NO_GUID } from '../model/field';
import type { Series } from './number-series';
import { checkReference, checkSalesperson, setCurrency } from './references';

/** Creates a customer. */
export function createCustomer(company: Company, set: EntitySet, body: Body): Row {
  if (textOfBody(body, 'displayName') === '') throw refusedByRule('A "displayName" must be provided.');
  const draft = company.blank(set);
  draft.currencyCode = company.facts.localCurrency;
  setNumber(company, set, draft, body, 'customers');
  setCustomerFields(company, draft, body);
  return company.insert('customers', draft);
}

/** Changes a customer. Another number is a rename. */
export function updateCustomer(company: Company, set: EntitySet, row: Row, body: Body): Row {
  if (body.fields.has('displayName') && textOfBody(body, 'displayName') === '') {
    throw refusedByRule('The blank "displayName" is not allowed.');
  }
  const draft: Draft = { ...row.values };
  rename(company, set, draft, body, row);
  setCustomerFields(company, draft, body);
  return company.save('customers', row, draft);
}

/** Removes a customer that no document names. */
export function removeCustomer(company: Company, row: Row): void {
  const isNamed = (['salesOrders', 'salesInvoices'] as const).some(
    (table) => company.store.table(table).by('customerId', row.id).length > 0,
  );
  if (isNamed) {
    throw refusedByRule(
      `You cannot delete Customer ${textOf(row, 'number')} because there are outstanding documents or ledger entries for it.`,
    );
  }
  company.store.remove('customers', row.id);
}

/** Creates a project. */
export function createProject(company: Company, set: EntitySet, body: Body): Row {
  const draft = company.blank(set);
  setNumber(company, set, draft, body, 'projects');
  draft.displayName = textOfBody(body, 'displayName');
  return company.insert('projects', draft);
}

/** Changes a project. */
export function updateProject(company: Company, set: EntitySet, row: Row, body: Body): Row {
  const draft: Draft = { ...row.values };
  rename(company, set, draft, body, row);
  if (body.fields.has('displayName')) draft.displayName = textOfBody(body, 'displayName');
  return company.save('projects', row, draft);
}

/** Removes a project that no document is tagged with. */
export function removeProject(company: Company, row: Row): void {
  const number = textOf(row, 'number');
  for (const table of ['salesOrders', 'salesInvoices'] as const) {
    for (const document of company.store.table(table).all()) {
      if (textOf(document, 'shortcutDimension1Code') === number) {
        throw refusedByRule(`You cannot delete Project ${number} because there are entries for it.`);
      }
    }
  }
  company.store.remove('projects', row.id);
}

function setCustomerFields(company: Company, draft: Draft, body: Body): void {
  checkReference(company, body, 'paymentTermsId', 'paymentTerms', 'Payment Terms');
  checkReference(company, body, 'shipmentMethodId', 'shipmentMethods', 'Shipment Method');
  checkReference(company, body, 'paymentMethodId', 'paymentMethods', 'Payment Method');
  checkSalesperson(company, body, 'salespersonCode');
  for (const [name, value] of body.fields) if (name !== 'number' && name !== 'id') draft[name] = value;
  if (body.fields.has('currencyId') || body.fields.has('currencyCode')) setCurrency(company, draft, body);
}

function setNumber(
  company: Company,
  set: EntitySet,
  draft: Draft,
  body: Body,
  table: 'customers' | 'projects',
): void {
  const id = body.fields.get('id');
  if (typeof id === 'string' && id !== NO_GUID) {
    if (company.store.table(table).get(id) !== undefined) {
      throw company.duplicate(`The record in table ${set.type} already exists.`);
    }
    draft.id = id;
  }
  const number = textOfBody(body, 'number');
  if (number === '') {
    do draft.number = company.series.next(table);
    while (company.numbered(table, textIn(draft, 'number')) !== undefined);
    return;
  }
  checkManual(company, table);
  company.checkUnique(table, set.type, 'number', number);
  draft.number = number;
}

function rename(company: Company, set: EntitySet, draft: Draft, body: Body, row: Row): void {
  const number = body.fields.get('number');
  if (typeof number !== 'string' || number === textOf(row, 'number')) return;
  const table = set.table === 'customers' ? 'customers' : 'projects';
  if (number === '') throw refusedByRule('The number must not be blank.');
  checkManual(company, table);
  company.checkUnique(table, set.type, 'number', number, row);
  draft.number = number;
}

const series: Readonly<Record<'customers' | 'projects', string>> = { customers: 'CUST', projects: 'JOB' };

function checkManual(company: Company, table: Extract<Series, 'customers' | 'projects'>): void {
  const isAllowed = company.switches.get(
    table === 'customers' ? 'manualCustomerNumbers' : 'manualProjectNumbers',
  );
  if (isAllowed) return;
  throw refusedByRule(
    'You may not enter numbers manually. If you want to enter numbers manually, please activate Manual Nos. ' +
      `in No. Series ${series[table]}.`,
  );
}

function textOfBody(body: Body, field: string): string {
  const value = body.fields.get(field);
  return typeof value === 'string' ? value : '';
}
