import { numberOf, plus, ZERO } from '@app/mapper';
import { compareDecimals } from '../model/decimals';
import type { EntitySet } from '../model/entity-set';
import { NO_GUID } from '../model/field';
import { CASH_RECEIPTS } from '../model/master-pages';
import { refusedByRule } from '../odata-error';
import { textOf, type Row } from '../store/row';
import { amountIn } from './amounts';
import type { Body } from './body';
import type { Company, Draft } from './company';
import { paymentsOf } from './payments';

/** Creates a batch for receipts. */
export function createJournal(company: Company, set: EntitySet, body: Body): Row {
  const code = body.fields.get('code');
  if (typeof code !== 'string' || code === '') throw refusedByRule('A "code" must be provided.');
  company.checkUnique('customerPaymentJournals', 'Gen. Journal Batch', 'code', code);
  const draft = company.blank(set);
  draft.templateDisplayName = CASH_RECEIPTS;
  apply(company, draft, body);
  return company.insert('customerPaymentJournals', draft);
}

/** Changes a batch. Its lines follow another code. */
export function updateJournal(company: Company, row: Row, body: Body): Row {
  const code = body.fields.get('code');
  if (typeof code === 'string' && code !== textOf(row, 'code')) {
    company.checkUnique('customerPaymentJournals', 'Gen. Journal Batch', 'code', code, row);
    for (const line of paymentsOf(company, row.id)) {
      company.save('customerPayments', line, { ...line.values, journalDisplayName: code });
    }
  }
  const draft: Draft = { ...row.values };
  apply(company, draft, body);
  return company.save('customerPaymentJournals', row, draft);
}

/** Removes a batch with its lines. */
export function removeJournal(company: Company, row: Row): void {
  for (const { id } of paymentsOf(company, row.id)) company.store.remove('customerPayments', id);
  company.store.remove('customerPaymentJournals', row.id);
}

/**
 * Posts every line of a batch, regardless of its author: what is to be paid of the invoices goes down, and the lines are
 * gone.
 *
 * @throws ODataError 400 when one line cannot be posted; then none is
 */
export function postJournal(company: Company, journal: Row): Row {
  const lines = paymentsOf(company, journal.id);
  if (lines.length === 0) throw refusedByRule('There is nothing to post.');
  for (const line of lines) {
    checkPostable(company, journal, line);
    settle(company, line);
    company.store.remove('customerPayments', line.id);
  }
  return journal;
}

function apply(company: Company, draft: Draft, body: Body): void {
  const account = body.fields.get('balancingAccountId');
  if (typeof account === 'string' && account !== NO_GUID) {
    const row = company.store.table('accounts').get(account);
    if (row === undefined) throw refusedByRule('The "balancingAccountId" does not match to an Account.');
    draft.balancingAccountNumber = textOf(row, 'number');
  } else if (account !== undefined) {
    draft.balancingAccountNumber = '';
  }
  for (const [name, value] of body.fields) draft[name] = value;
}

function checkPostable(company: Company, journal: Row, line: Row): void {
  const where = `Journal Template Name=${CASH_RECEIPTS}, Journal Batch Name=${textOf(journal, 'code')}, Line No.=${Number(line.values.lineNumber)}`;
  if (textOf(journal, 'balancingAccountNumber') === '') {
    throw refusedByRule(`Bal. Account No. must have a value in Gen. Journal Line: ${where}.`);
  }
  if (textOf(line, 'customerId') === NO_GUID) {
    throw refusedByRule(`Account No. must have a value in Gen. Journal Line: ${where}.`);
  }
  if (amountIn(line.values, 'amount').units >= 0n) {
    throw refusedByRule(`Amount must be negative in Gen. Journal Line: ${where}.`);
  }
  const number = textOf(line, 'appliesToInvoiceNumber');
  const invoice = company.store.table('salesInvoices').get(textOf(line, 'appliesToInvoiceId'));
  if (number !== '' && (invoice?.posted !== true || textOf(invoice, 'status') !== 'Open')) {
    throw refusedByRule(
      `There is no open ledger entry for invoice ${number} in Gen. Journal Line: ${where}.`,
    );
  }
  if (invoice !== undefined && meant(company, line) !== meant(company, invoice)) {
    throw refusedByRule(`The currency of invoice ${number} is not that of Gen. Journal Line: ${where}.`);
  }
}

// What is more than the invoice stays with the customer.
function settle(company: Company, line: Row): void {
  const invoice = company.store.table('salesInvoices').get(textOf(line, 'appliesToInvoiceId'));
  if (invoice === undefined) return;
  const rest = plus(amountIn(invoice.values, 'remainingAmount'), amountIn(line.values, 'amount'));
  const remaining = compareDecimals(rest, ZERO) > 0 ? rest : ZERO;
  company.save('salesInvoices', invoice, {
    ...invoice.values,
    remainingAmount: numberOf(remaining),
    ...(remaining.units === 0n && { status: 'Paid' }),
  });
}

function meant(company: Company, row: Row): string {
  const code = textOf(row, 'currencyCode');
  return code === '' ? company.facts.localCurrency : code;
}
