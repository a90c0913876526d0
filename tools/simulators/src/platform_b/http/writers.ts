import type { Body } from '../company/body';
import type { Company } from '../company/company';
import {
  createCustomer,
  createProject,
  removeCustomer,
  removeProject,
  updateCustomer,
  updateProject,
} from '../company/customers';
import { invoices, kindOfTable, orders, type DocumentKind } from '../company/document-kinds';
import { createLine, removeLine, updateLine } from '../company/document-lines';
import { createDocument, removeDocument, updateDocument } from '../company/documents';
import { createJournal, postJournal, removeJournal, updateJournal } from '../company/journals';
import { createPayment, updatePayment } from '../company/payments';
import { cancelInvoice, correctInvoice, postInvoice, sendInvoice, shipAndInvoice } from '../company/posting';
import type { EntitySet, TableName } from '../model/entity-set';
import type { Row } from '../store/row';

/** How the records of a page are written. */
export interface Writer {
  create(company: Company, set: EntitySet, parent: string | undefined, body: Body): Row;
  update(company: Company, set: EntitySet, row: Row, body: Body): Row;
  remove(company: Company, row: Row): void;
}

const documentWriter = (kind: DocumentKind): Writer => ({
  create: (company, _set, _parent, body) => createDocument(company, kind, body),
  update: (company, _set, row, body) => updateDocument(company, kind, row, body),
  remove: (company, row) => removeDocument(company, kind, row),
});

const lineWriter = (kind: DocumentKind): Writer => ({
  create: (company, _set, parent, body) => createLine(company, kind, parent, body),
  update: (company, _set, row, body) => updateLine(company, kind, row, body),
  remove: (company, row) => removeLine(company, kind, row),
});

/** The writers of the tables that can be written. */
export const writers: Readonly<Partial<Record<TableName, Writer>>> = {
  customers: {
    create: (company, set, _parent, body) => createCustomer(company, set, body),
    update: updateCustomer,
    remove: removeCustomer,
  },
  projects: {
    create: (company, set, _parent, body) => createProject(company, set, body),
    update: updateProject,
    remove: removeProject,
  },
  salesOrders: documentWriter(orders),
  salesOrderLines: lineWriter(orders),
  salesInvoices: documentWriter(invoices),
  salesInvoiceLines: lineWriter(invoices),
  customerPaymentJournals: {
    create: (company, set, _parent, body) => createJournal(company, set, body),
    update: (company, _set, row, body) => updateJournal(company, row, body),
    remove: removeJournal,
  },
  customerPayments: {
    create: (company, _set, parent, body) => createPayment(company, parent, body),
    update: (company, _set, row, body) => updatePayment(company, row, body),
    remove: (company, row) => company.store.remove('customerPayments', row.id),
  },
};

/** An action bound to a record. */
export interface Action {
  /** The steps run one after the other, and each is committed before the next. */
  readonly steps: readonly ((company: Company, row: Row) => Row)[];
  /** The page of the resulting record. */
  readonly leadsTo: string;
}

const onInvoice = (...steps: Action['steps']): Action => ({ steps, leadsTo: 'salesInvoices' });

const actions: Readonly<Record<string, ReadonlyMap<string, Action>>> = {
  salesOrders: new Map([['shipAndInvoice', onInvoice(shipAndInvoice)]]),
  salesInvoices: new Map([
    ['post', onInvoice(postInvoice)],
    ['postAndSend', onInvoice(postInvoice, sendInvoice)],
    ['send', onInvoice(sendInvoice)],
    ['cancel', onInvoice(cancelInvoice)],
    ['cancelAndSend', onInvoice(cancelInvoice, sendInvoice)],
    ['makeCorrectiveCreditMemo', onInvoice(correctInvoice)],
  ]),
  journals: new Map([['post', { steps: [postJournal], leadsTo: 'journals' }]]),
};

/** The action of a page. */
export function actionNamed(page: string, name: string): Action | undefined {
  return Object.hasOwn(actions, page) ? actions[page]?.get(name) : undefined;
}

/** Whether a new record of the table may contain inner records. */
export function takesParts(table: TableName): boolean {
  return kindOfTable(table)?.table === table;
}
