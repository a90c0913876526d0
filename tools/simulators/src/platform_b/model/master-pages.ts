import { ownMember } from '@app/mapper';
import {
  BLANK_MEMBER,
  boolean,
  code,
  date,
  datetime,
  decimal,
  guid,
  integer,
  members,
  readOnly,
  text,
} from './field';
import { entitySet } from './entity-set';

const id = ['id', readOnly(guid)] as const;
const modified = ['lastModifiedDateTime', readOnly(datetime)] as const;

/** The page of the Job table, with number and name only. */
export const projects = entitySet({
  name: 'projects',
  type: 'project',
  table: 'projects',
  fields: [id, ['number', code(20)], ['displayName', text(100)], modified],
});

export const customers = entitySet({
  name: 'customers',
  type: 'customer',
  table: 'customers',
  fields: [
    id,
    ['number', code(20)],
    ['displayName', text(100)],
    ['type', members('Company', 'Person')],
    ['addressLine1', text(100)],
    ['addressLine2', text(50)],
    ['city', text(30)],
    ['state', text(30)],
    ['country', code(10)],
    ['postalCode', text(20)],
    ['phoneNumber', text(30)],
    ['email', text(80)],
    ['website', text(80)],
    ['salespersonCode', code(20)],
    ['balanceDue', readOnly(decimal)],
    ['creditLimit', decimal],
    ['taxLiable', boolean],
    ['taxAreaId', guid],
    ['taxAreaDisplayName', readOnly(text(100))],
    ['taxRegistrationNumber', text(20)],
    ['currencyId', guid],
    ['currencyCode', code(10)],
    ['paymentTermsId', guid],
    ['shipmentMethodId', guid],
    ['paymentMethodId', guid],
    ['blocked', members(BLANK_MEMBER, 'Ship', 'Invoice', 'All')],
    modified,
  ],
  parts: {
    currency: { set: 'currencies', many: false, ours: 'currencyId', theirs: 'id' },
    paymentTerm: { set: 'paymentTerms', many: false, ours: 'paymentTermsId', theirs: 'id' },
    shipmentMethod: { set: 'shipmentMethods', many: false, ours: 'shipmentMethodId', theirs: 'id' },
    paymentMethod: { set: 'paymentMethods', many: false, ours: 'paymentMethodId', theirs: 'id' },
  },
});

const payments = [
  id,
  ['journalId', guid],
  ['journalDisplayName', code(10)],
  ['lineNumber', integer],
  ['customerId', guid],
  ['customerNumber', code(20)],
  ['postingDate', date],
  ['documentNumber', code(20)],
  ['externalDocumentNumber', code(35)],
  ['amount', decimal],
  ['appliesToInvoiceId', guid],
  ['appliesToInvoiceNumber', code(20)],
  ['description', text(100)],
  ['comment', text(250)],
  modified,
] as const;

/** The standard page of unposted receipts. It has no currency field. */
export const customerPayments = entitySet({
  name: 'customerPayments',
  type: 'customerPayment',
  table: 'customerPayments',
  fields: payments,
  parts: { customer: { set: 'customers', many: false, ours: 'customerId', theirs: 'id' } },
});

/** A custom page of the same lines with their currency. */
export const paymentsWithCurrency = entitySet({
  ...customerPayments,
  parts: Object.fromEntries(customerPayments.parts),
  fields: [...payments.slice(0, 10), ['currencyCode', code(10)], ...payments.slice(10)],
});

/** The template whose batches take receipts. */
export const CASH_RECEIPTS = 'CASHRCPT';
export const GENERAL = 'GENERAL';

/** Batches of the cash receipt template only. */
export const customerPaymentJournals = entitySet({
  name: 'customerPaymentJournals',
  type: 'customerPaymentJournal',
  table: 'customerPaymentJournals',
  shows: (values) => ownMember(values, 'templateDisplayName') === CASH_RECEIPTS,
  fields: [
    id,
    ['code', code(10)],
    ['displayName', text(100)],
    modified,
    ['balancingAccountId', guid],
    ['balancingAccountNumber', readOnly(code(20))],
  ],
  parts: { customerPayments: { set: 'customerPayments', many: true, ours: 'id', theirs: 'journalId' } },
});

/** All journal batches. A list without a filter shows those of the general template only. */
export const journals = entitySet({
  name: 'journals',
  type: 'journal',
  table: 'customerPaymentJournals',
  methods: [],
  fields: [
    id,
    ['code', code(10)],
    ['displayName', text(100)],
    ['templateDisplayName', readOnly(code(10))],
    modified,
    ['balancingAccountId', guid],
    ['balancingAccountNumber', readOnly(code(20))],
  ],
});

const coded = [id, ['code', code(10)], ['displayName', text(100)], modified] as const;

/** Tables that other tables refer to. People maintain them outside the API. */
export const referenceSets = [
  entitySet({
    name: 'currencies',
    type: 'currency',
    table: 'currencies',
    methods: [],
    fields: [
      id,
      ['code', code(10)],
      ['displayName', text(100)],
      ['symbol', text(10)],
      ['amountDecimalPlaces', text(5)],
      ['amountRoundingPrecision', decimal],
      modified,
    ],
  }),
  entitySet({
    name: 'generalLedgerSetup',
    type: 'generalLedgerSetup',
    table: 'generalLedgerSetup',
    methods: [],
    fields: [id, ['localCurrencyCode', code(10)], ['localCurrencySymbol', text(10)], modified],
  }),
  entitySet({
    name: 'accounts',
    type: 'account',
    table: 'accounts',
    methods: [],
    fields: [id, ['number', code(20)], ['displayName', text(100)], modified],
  }),
  entitySet({
    name: 'items',
    type: 'item',
    table: 'items',
    methods: [],
    fields: [id, ['number', code(20)], ['displayName', text(100)], modified],
  }),
  entitySet({ name: 'paymentTerms', type: 'paymentTerm', table: 'paymentTerms', methods: [], fields: coded }),
  entitySet({
    name: 'paymentMethods',
    type: 'paymentMethod',
    table: 'paymentMethods',
    methods: [],
    fields: coded,
  }),
  entitySet({
    name: 'shipmentMethods',
    type: 'shipmentMethod',
    table: 'shipmentMethods',
    methods: [],
    fields: coded,
  }),
] as const;
