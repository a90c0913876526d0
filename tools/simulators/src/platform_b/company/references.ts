import { refusedByRule, unknownCode } from '../odata-error';
import type { TableName } from '../model/entity-set';
import { NO_GUID } from '../model/field';
import { textOf, type Row } from '../store/row';
import type { Body } from './body';
import type { Company, Draft } from './company';

/** @throws ODataError when the body names a record of the table that is not there; the zero GUID names none */
export function checkReference(
  company: Company,
  body: Body,
  field: string,
  table: TableName,
  called: string,
): void {
  const id = body.fields.get(field);
  if (typeof id !== 'string' || id === NO_GUID) return;
  if (company.store.table(table).get(id) === undefined) {
    throw refusedByRule(`The "${field}" does not match to a ${called}.`);
  }
}

/** @throws ODataError for an unknown salesperson */
export function checkSalesperson(company: Company, body: Body, field: string): void {
  const value = body.fields.get(field);
  if (typeof value !== 'string' || value === '' || company.codes.salespersons.has(value)) return;
  throw unknownCode('Salesperson Code', value, 'Salesperson/Purchaser');
}

/** @throws ODataError for a dimension value that there is none of */
export function checkDimension(company: Company, body: Body, field: string): void {
  const value = body.fields.get(field);
  if (typeof value !== 'string' || value === '') return;
  if (company.switches.get('dimensionValues') === 'any') return;
  if (company.codes.dimensionValues.has(value) || company.numbered('projects', value) !== undefined) return;
  throw unknownCode('Shortcut Dimension Code', value, 'Dimension Value');
}

/**
 * Sets currency key and code from either of them in the body; a blank one, or the local currency's code, means the
 * local currency, which has no key.
 */
export function setCurrency(company: Company, draft: Draft, body: Body): void {
  const id = body.fields.get('currencyId');
  const code = body.fields.get('currencyCode');
  const byId =
    typeof id === 'string' && id !== NO_GUID ? company.store.table('currencies').get(id) : undefined;
  const isLocalCode = code === '' || code === company.facts.localCurrency;
  const byCode =
    typeof code === 'string' && !isLocalCode ? company.numbered('currencies', code, 'code') : undefined;
  if (typeof id === 'string' && id !== NO_GUID && byId === undefined) {
    throw refusedByRule('The "currencyId" does not match to a Currency.');
  }
  if (typeof code === 'string' && !isLocalCode && byCode === undefined) {
    throw refusedByRule('The "currencyCode" does not match to a Currency.');
  }
  if (id !== undefined && code !== undefined && byId?.id !== byCode?.id) {
    throw refusedByRule('The currency values do not match to a specific Currency.');
  }
  showCurrency(company, draft, byId ?? byCode);
}

/** Shows a currency, or the local one. */
export function showCurrency(company: Company, draft: Draft, currency: Row | undefined): void {
  draft.currencyId = currency?.id ?? NO_GUID;
  draft.currencyCode = currency === undefined ? company.facts.localCurrency : textOf(currency, 'code');
}
