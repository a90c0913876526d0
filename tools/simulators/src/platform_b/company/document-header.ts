import type { JsonObject, JsonValue } from '@app/mapper';
import { NO_GUID } from '../model/field';
import { ODataError, refusedByRule, unknownCode } from '../odata-error';
import { textOf, type Row } from '../store/row';
import { preciseAmount } from './amounts';
import type { Body } from './body';
import { textIn, type Company, type Draft } from './company';
import { checkDimension, checkReference, checkSalesperson, setCurrency, showCurrency } from './references';

const addressParts = [
  ['AddressLine1', 'addressLine1'],
  ['AddressLine2', 'addressLine2'],
  ['City', 'city'],
  ['Country', 'country'],
  ['State', 'state'],
  ['PostCode', 'postalCode'],
] as const;

/**
 * Puts the fields of a body into a document, in the body's order: each is validated where it stands, and some take
 * others with them. The customer brings address, terms and currency, so what comes before it is lost.
 *
 * @throws ODataError 400 for what does not fit
 */
export function applyHeader(company: Company, draft: Draft, body: Body): void {
  const done = new Set<string>();
  for (const [name, value] of body.fields) {
    const pair = pairs.find(([one, other]) => one === name || other === name)?.join();
    if (pair !== undefined) {
      if (done.has(pair)) continue;
      done.add(pair);
    }
    applyField(company, draft, body, name, value);
  }
}

/** Fields that name one thing by key and by number; they are validated together, where the first of them stands. */
const pairs = [
  ['customerId', 'customerNumber'],
  ['billToCustomerId', 'billToCustomerNumber'],
  ['currencyId', 'currencyCode'],
  ['disputeStatusId', 'disputeStatus'],
] as const;

function applyField(company: Company, draft: Draft, body: Body, name: string, value: JsonValue): void {
  switch (name) {
    case 'customerId':
    case 'customerNumber':
      setCustomer(company, draft, customerNamed(company, body, 'customerId', 'customerNumber', 'sell-to'));
      break;
    case 'billToCustomerId':
    case 'billToCustomerNumber':
      setBillTo(
        company,
        draft,
        customerNamed(company, body, 'billToCustomerId', 'billToCustomerNumber', 'bill-to'),
      );
      break;
    case 'currencyId':
    case 'currencyCode':
      setCurrency(company, draft, body);
      break;
    case 'disputeStatusId':
    case 'disputeStatus':
      setDispute(company, draft, body);
      break;
    case 'paymentTermsId':
      checkReference(company, body, name, 'paymentTerms', 'Payment Terms');
      draft[name] = value;
      break;
    case 'shipmentMethodId':
      checkReference(company, body, name, 'shipmentMethods', 'Shipment Method');
      draft[name] = value;
      break;
    case 'salesperson':
      checkSalesperson(company, body, name);
      draft[name] = value;
      break;
    case 'shortcutDimension1Code':
    case 'shortcutDimension2Code':
      checkDimension(company, body, name);
      draft[name] = value;
      break;
    case 'discountAmount':
      draft[name] = preciseAmount(company, name, value, company.places(textIn(draft, 'currencyCode')));
      break;
    default:
      draft[name] = value;
  }
}

function customerNamed(
  company: Company,
  body: Body,
  idField: string,
  numberField: string,
  called: string,
): Row {
  const id = body.fields.get(idField);
  const number = body.fields.get(numberField);
  const byId =
    typeof id === 'string' && id !== NO_GUID ? company.store.table('customers').get(id) : undefined;
  const byNumber =
    typeof number === 'string' && number !== '' ? company.numbered('customers', number) : undefined;
  const customer = byId ?? byNumber;
  const isMissing = (given: JsonValue | undefined, found: Row | undefined): boolean =>
    typeof given === 'string' && given !== '' && given !== NO_GUID && found === undefined;
  if (customer === undefined || isMissing(id, byId) || isMissing(number, byNumber)) {
    throw refusedByRule(`The ${called} customer cannot be found.`);
  }
  if (byId !== undefined && byNumber !== undefined && byId.id !== byNumber.id) {
    throw refusedByRule(`The ${called} customer values do not match to a specific Customer.`);
  }
  return customer;
}

function setCustomer(company: Company, draft: Draft, customer: Row): void {
  const { values } = customer;
  if (['All', 'Invoice'].includes(textOf(customer, 'blocked'))) {
    throw new ODataError(
      400,
      'Application_DialogException',
      `You cannot create this type of document when Customer ${textOf(customer, 'number')} is blocked with type ${textOf(customer, 'blocked')}`,
    );
  }
  draft.customerId = customer.id;
  draft.customerNumber = textOf(customer, 'number');
  draft.customerName = textOf(customer, 'displayName');
  draft.shipToName = textOf(customer, 'displayName');
  draft.shipToContact = '';
  copyAddress(draft, values, 'sellTo');
  copyAddress(draft, values, 'shipTo');
  draft.phoneNumber = textOf(customer, 'phoneNumber');
  draft.email = textOf(customer, 'email');
  draft.salesperson = textOf(customer, 'salespersonCode');
  draft.shipmentMethodId = textOf(customer, 'shipmentMethodId');
  setBillTo(company, draft, customer);
}

function setBillTo(company: Company, draft: Draft, customer: Row): void {
  draft.billToCustomerId = customer.id;
  draft.billToCustomerNumber = textOf(customer, 'number');
  draft.billToName = textOf(customer, 'displayName');
  copyAddress(draft, customer.values, 'billTo');
  draft.paymentTermsId = textOf(customer, 'paymentTermsId');
  showCurrency(company, draft, company.store.table('currencies').get(textOf(customer, 'currencyId')));
}

function copyAddress(draft: Draft, customer: JsonObject, prefix: string): void {
  for (const [part, field] of addressParts) draft[`${prefix}${part}`] = textIn(customer, field);
}

function setDispute(company: Company, draft: Draft, body: Body): void {
  const code = body.fields.get('disputeStatus');
  const id = body.fields.get('disputeStatusId');
  const statuses = company.codes.disputeStatuses;
  const known =
    typeof code === 'string' && code !== '' ? code : [...statuses].find(([, key]) => key === id)?.[0];
  if (known === undefined) {
    if (typeof id === 'string' && id !== NO_GUID)
      throw unknownCode('Dispute Status Id', id, 'Dispute Status');
    draft.disputeStatus = '';
    draft.disputeStatusId = NO_GUID;
    return;
  }
  const key = statuses.get(known);
  if (key === undefined) throw unknownCode('Dispute Status', known, 'Dispute Status');
  draft.disputeStatus = known;
  draft.disputeStatusId = key;
}
