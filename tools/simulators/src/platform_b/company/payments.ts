import type { JsonValue } from '@app/mapper';
import { NO_GUID } from '../model/field';
import { refusedByRule, unknownCode } from '../odata-error';
import { textOf, type Row } from '../store/row';
import { preciseAmount } from './amounts';
import { checkUnchanged, type Body } from './body';
import { textIn, type Company, type Draft } from './company';
import { customerPaymentJournals, paymentsWithCurrency } from '../model/master-pages';

const STEP = 10_000;

/** The order in which the server validates a payment, whatever the body's. */
const serverOrder = [
  'lineNumber',
  'customerId',
  'postingDate',
  'documentNumber',
  'externalDocumentNumber',
  'currencyCode',
  'amount',
  'appliesToInvoiceId',
  'description',
  'comment',
] as const;

/** Adds a receipt to a journal. Date and document number follow the journal's last line. */
export function createPayment(company: Company, journalId: string | undefined, body: Body): Row {
  const given = body.fields.get('journalId');
  const id = journalId ?? (typeof given === 'string' ? given : undefined);
  const journal = id === undefined ? undefined : company.store.table('customerPaymentJournals').get(id);
  if (journal === undefined || !customerPaymentJournals.shows?.(journal.values)) {
    throw refusedByRule('You must specify a journal batch ID or a journal ID to get a journal line.');
  }
  const name = body.fields.get('journalDisplayName');
  if (
    (given !== undefined && given !== journal.id) ||
    (typeof name === 'string' && name !== '' && name !== textOf(journal, 'code'))
  ) {
    throw refusedByRule('The Journal Id and Journal Display Name do not match.');
  }
  const last = paymentsOf(company, journal.id).at(-1);
  const draft = company.blank(paymentsWithCurrency);
  draft.journalId = journal.id;
  draft.journalDisplayName = textOf(journal, 'code');
  draft.lineNumber = Number(last?.values.lineNumber ?? 0) + STEP;
  draft.postingDate = last === undefined ? company.today() : textOf(last, 'postingDate');
  draft.documentNumber =
    last === undefined ? company.series.next('receipts') : textOf(last, 'documentNumber');
  apply(company, draft, body);
  return company.insert('customerPayments', draft);
}

/** Changes a receipt. */
export function updatePayment(company: Company, row: Row, body: Body): Row {
  checkUnchanged(body, row.values, 'journalId', 'The Journal Id cannot be changed.');
  checkUnchanged(body, row.values, 'journalDisplayName', 'The Journal Batch Display Name cannot be changed.');
  const draft: Draft = { ...row.values };
  apply(company, draft, body, row);
  return company.save('customerPayments', row, draft);
}

/** The lines of a journal, in order. */
export function paymentsOf(company: Company, journalId: string): readonly Row[] {
  const rows = [...company.store.table('customerPayments').by('journalId', journalId)];
  return rows.sort((one, other) => Number(one.values.lineNumber) - Number(other.values.lineNumber));
}

function apply(company: Company, draft: Draft, body: Body, self?: Row): void {
  for (const field of serverOrder) {
    const value = body.fields.get(field);
    switch (field) {
      case 'lineNumber':
        if (value !== undefined) setLineNumber(company, draft, value, self);
        break;
      case 'customerId':
        setCustomer(company, draft, body);
        break;
      case 'documentNumber':
        if (value !== undefined) draft[field] = value === '' ? company.series.next('receipts') : value;
        break;
      case 'currencyCode':
        if (value !== undefined) draft[field] = currencyOf(company, value);
        break;
      case 'amount':
        if (value !== undefined) {
          draft[field] = preciseAmount(company, field, value, company.places(textIn(draft, 'currencyCode')));
        }
        break;
      case 'appliesToInvoiceId':
        setInvoice(company, draft, body);
        break;
      case 'postingDate':
      case 'externalDocumentNumber':
      case 'description':
      case 'comment':
        if (value !== undefined) draft[field] = value;
        break;
    }
  }
}

// The line number is a part of the key: another one renames the line.
function setLineNumber(company: Company, draft: Draft, value: JsonValue, self: Row | undefined): void {
  if (value === 0 && self === undefined) return;
  const isTaken = paymentsOf(company, textIn(draft, 'journalId')).some(
    (row) => row.id !== self?.id && row.values.lineNumber === value,
  );
  if (isTaken) throw company.duplicate('The record in table Gen. Journal Line already exists.');
  draft.lineNumber = value;
}

function setCustomer(company: Company, draft: Draft, body: Body): void {
  const id = body.fields.get('customerId');
  const number = body.fields.get('customerNumber');
  if (id === undefined && number === undefined) return;
  const byId =
    typeof id === 'string' && id !== NO_GUID ? company.store.table('customers').get(id) : undefined;
  const byNumber =
    typeof number === 'string' && number !== '' ? company.numbered('customers', number) : undefined;
  if (typeof id === 'string' && id !== NO_GUID && byId === undefined) {
    throw refusedByRule('The "customerId" does not match to a Customer.');
  }
  if (typeof number === 'string' && number !== '' && byNumber === undefined) {
    throw refusedByRule('The "customerNumber" does not match to a Customer.');
  }
  if (byId !== undefined && byNumber !== undefined && byId.id !== byNumber.id) {
    throw refusedByRule('The customer values do not match to a specific Customer.');
  }
  showCustomer(draft, byId ?? byNumber);
}

function showCustomer(draft: Draft, customer: Row | undefined): void {
  draft.customerId = customer?.id ?? NO_GUID;
  draft.customerNumber = customer === undefined ? '' : textOf(customer, 'number');
  draft.description = customer === undefined ? '' : textOf(customer, 'displayName');
}

function currencyOf(company: Company, code: JsonValue): JsonValue {
  if (typeof code !== 'string' || code === '' || code === company.facts.localCurrency) return '';
  if (company.numbered('currencies', code, 'code') === undefined) {
    throw unknownCode('Currency Code', code, 'Currency');
  }
  return code;
}

function setInvoice(company: Company, draft: Draft, body: Body): void {
  const id = body.fields.get('appliesToInvoiceId');
  const number = body.fields.get('appliesToInvoiceNumber');
  if (id === undefined && number === undefined) return;
  const byId =
    typeof id === 'string' && id !== NO_GUID ? company.store.table('salesInvoices').get(id) : undefined;
  if (typeof id === 'string' && id !== NO_GUID && byId?.posted !== true) {
    throw refusedByRule(
      'The "appliesToInvoiceId" should be the ID of an Open, Paid, Corrective, or Canceled Invoice.',
    );
  }
  if (
    typeof number === 'string' &&
    number !== '' &&
    byId !== undefined &&
    textOf(byId, 'number') !== number
  ) {
    throw refusedByRule('The Applies To Invoice values do not match to the same Invoice.');
  }
  const byNumber =
    typeof number === 'string' && number !== '' ? company.numbered('salesInvoices', number) : undefined;
  const invoice = byId ?? (byNumber?.posted === true ? byNumber : undefined);
  draft.appliesToInvoiceId = invoice?.id ?? NO_GUID;
  // A number that no posted invoice has is kept unchecked.
  draft.appliesToInvoiceNumber =
    invoice === undefined ? (typeof number === 'string' ? number : '') : textOf(invoice, 'number');
  if (invoice !== undefined && !body.fields.has('currencyCode')) {
    // The invoice brings its currency, as it does where the page has no field for one.
    draft.currencyCode = currencyOf(company, textOf(invoice, 'currencyCode'));
  }
  if (invoice !== undefined && textIn(draft, 'customerId') === NO_GUID) {
    showCustomer(draft, company.store.table('customers').get(textOf(invoice, 'customerId')));
  }
}
