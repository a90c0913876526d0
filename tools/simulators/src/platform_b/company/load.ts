import { isJsonArray, isJsonObject, ownMember, setMember, type JsonObject } from '@app/mapper';
import { behaviourOf, type PortfolioRecord } from '@app/behaviour';
import type { TableName } from '../model/entity-set';
import { NO_GUID, NO_TIME } from '../model/field';
import { CASH_RECEIPTS, GENERAL } from '../model/master-pages';
import { textOf, type Row } from '../store/row';
import { textIn, type Company, type Draft } from './company';

/** States in which an invoice is posted, unless its number is still a draft's. */
const postedStates = ['Open', 'Paid', 'Canceled', 'Corrective'];

/** Currencies of the company beside those that its records name. */
const usualCurrencies = ['AED', 'BHD', 'EUR', 'GBP', 'JPY', 'KWD', 'OMR', 'QAR', 'SAR', 'USD'];

/** The batch that receipts go to where the portfolio has none yet. */
const USUAL_JOURNAL = 'GENERAL';

/**
 * Fills a company with a portfolio, and sets up what its records refer to: currencies, terms, accounts, items,
 * salespersons, journals.
 */
export function loadPortfolio(company: Company, records: readonly PortfolioRecord[]): void {
  company.store.transaction(() => {
    setUp(company);
    for (const { entityType, payload } of records) {
      switch (entityType) {
        case 'project':
          put(company, 'projects', payload);
          company.series.used('projects', textIn(payload, 'number'));
          break;
        case 'customer':
          put(company, 'customers', payload);
          company.series.used('customers', textIn(payload, 'number'));
          learnCodes(company, payload, 'salespersonCode');
          break;
        case 'contract':
          putDocument(company, 'salesOrders', 'salesOrderLines', payload);
          break;
        case 'invoice':
          putDocument(company, 'salesInvoices', 'salesInvoiceLines', payload);
          break;
        case 'payment':
          putPayment(company, payload);
          break;
      }
    }
    setUpJournals(company);
  });
}

function put(company: Company, table: TableName, payload: JsonObject, marks: Pick<Row, 'posted'> = {}): void {
  const values: Draft = { ...payload };
  delete values['@odata.etag'];
  delete values.salesOrderLines;
  delete values.salesInvoiceLines;
  const etag = ownMember(payload, '@odata.etag');
  const row = { id: textIn(payload, 'id'), values, ...marks };
  company.store.put(table, { ...row, etag: typeof etag === 'string' && etag !== '' ? etag : company.etag() });
  const currency = textIn(payload, 'currencyCode');
  const currencyId = textIn(payload, 'currencyId');
  if (currencyId !== '' && currencyId !== NO_GUID) putCurrency(company, currency, currencyId);
  refer(company, 'paymentTerms', payload, 'paymentTermsId');
  refer(company, 'paymentMethods', payload, 'paymentMethodId');
  refer(company, 'shipmentMethods', payload, 'shipmentMethodId');
}

function putDocument(
  company: Company,
  table: 'salesOrders' | 'salesInvoices',
  lines: 'salesOrderLines' | 'salesInvoiceLines',
  payload: JsonObject,
): void {
  const number = textIn(payload, 'number');
  const isPosted =
    table === 'salesInvoices' &&
    postedStates.includes(textIn(payload, 'status')) &&
    !number.startsWith('S-INV');
  put(company, table, payload, isPosted ? { posted: true } : {});
  company.series.used(
    table === 'salesOrders' ? table : isPosted ? 'postedInvoices' : 'draftInvoices',
    number,
  );
  learnCodes(company, payload, 'salesperson');
  for (const field of ['shortcutDimension1Code', 'shortcutDimension2Code']) {
    const code = textIn(payload, field);
    if (code !== '') company.codes.dimensionValues.add(code);
  }
  const inner = ownMember(payload, lines);
  for (const line of isJsonArray(inner) ? inner.filter(isJsonObject) : []) {
    put(company, lines, { ...line, documentId: textIn(payload, 'id'), lastModifiedDateTime: NO_TIME });
    learnObject(company, line);
  }
}

function putPayment(company: Company, payload: JsonObject): void {
  const isLocal = textIn(payload, 'currencyCode') === company.facts.localCurrency;
  put(company, 'customerPayments', {
    ...payload,
    currencyCode: isLocal ? '' : textIn(payload, 'currencyCode'),
  });
  company.series.used('receipts', textIn(payload, 'documentNumber'));
  const id = textIn(payload, 'journalId');
  if (company.store.table('customerPaymentJournals').get(id) === undefined) {
    putJournal(company, id, textIn(payload, 'journalDisplayName'), CASH_RECEIPTS);
  }
}

function setUp(company: Company): void {
  for (const code of usualCurrencies) {
    if (code !== company.facts.localCurrency) putCurrency(company, code, currencyIdOf(company, code));
  }
  company.insert('generalLedgerSetup', {
    localCurrencyCode: company.facts.localCurrency,
    localCurrencySymbol: company.facts.localCurrency,
  });
  company.insert('accounts', { number: '10100', displayName: 'Bank' });
  company.insert('accounts', { number: '40100', displayName: 'Contract revenue' });
}

function setUpJournals(company: Company): void {
  const journals = company.store.table('customerPaymentJournals');
  if (journals.by('templateDisplayName', CASH_RECEIPTS).length === 0) {
    putJournal(company, company.random.guid(), USUAL_JOURNAL, CASH_RECEIPTS);
  }
  putJournal(company, company.random.guid(), 'DEFAULT', GENERAL);
}

function putJournal(company: Company, id: string, code: string, templateDisplayName: string): void {
  const bank = company.numbered('accounts', '10100');
  company.insert('customerPaymentJournals', {
    id,
    code,
    displayName: code,
    templateDisplayName,
    balancingAccountId: bank?.id ?? NO_GUID,
    balancingAccountNumber: bank === undefined ? '' : textOf(bank, 'number'),
  });
}

function putCurrency(company: Company, code: string, id: string): void {
  const present = company.numbered('currencies', code, 'code');
  if (present?.id === id) return;
  if (present !== undefined) company.store.remove('currencies', present.id);
  const places = company.places(code);
  company.insert('currencies', {
    id,
    code,
    displayName: code,
    symbol: code,
    amountDecimalPlaces: `${places}:${places}`,
    amountRoundingPrecision: 1 / 10 ** places,
  });
}

// The key that a sandbox shows for a currency, so that both name it alike.
function currencyIdOf(company: Company, code: string): string {
  const shown = behaviourOf('platform_b').write(
    {
      entityType: 'customer',
      variant: null,
      current: { id: NO_GUID, currencyCode: '', currencyId: NO_GUID },
      changes: [{ path: ['currencyCode'], value: code }],
      referred: {},
    },
    company.random.occasion(company.clock),
  );
  return textIn(shown, 'currencyId');
}

function refer(company: Company, table: TableName, payload: JsonObject, field: string): void {
  const id = textIn(payload, field);
  if (id === '' || id === NO_GUID || company.store.table(table).get(id) !== undefined) return;
  const code = `T${company.store.table(table).size + 1}`;
  company.insert(table, { id, code, displayName: code });
}

function learnCodes(company: Company, payload: JsonObject, field: string): void {
  const code = textIn(payload, field);
  if (code !== '') company.codes.salespersons.add(code);
}

function learnObject(company: Company, line: JsonObject): void {
  const number = textIn(line, 'lineObjectNumber');
  const lineType = textIn(line, 'lineType');
  if (number === '' || (lineType !== 'Account' && lineType !== 'Item')) return;
  const table = lineType === 'Account' ? 'accounts' : 'items';
  const given = textIn(line, lineType === 'Account' ? 'accountId' : 'itemId');
  const present = company.numbered(table, number);
  if (present !== undefined && (given === NO_GUID || given === '' || present.id === given)) return;
  if (present !== undefined) company.store.remove(table, present.id);
  const object: Draft = { number, displayName: textIn(line, 'description') };
  if (given !== '' && given !== NO_GUID) setMember(object, 'id', given);
  company.insert(table, object);
}
