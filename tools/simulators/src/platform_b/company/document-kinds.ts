import { salesInvoiceLines, salesInvoices, salesOrderLines, salesOrders } from '../model/document-pages';
import type { EntitySet } from '../model/entity-set';
import { textOf, type Row } from '../store/row';
import type { Series } from './number-series';

/** What differs between orders and invoices. */
export interface DocumentKind {
  readonly set: EntitySet;
  readonly lineSet: EntitySet;
  readonly table: 'salesOrders' | 'salesInvoices';
  readonly lines: 'salesOrderLines' | 'salesInvoiceLines';
  readonly series: Series;
  /** The word in messages. */
  readonly word: 'Order' | 'Invoice';
  /** The date that the document is of. */
  readonly documentDate: 'orderDate' | 'invoiceDate';
}

export const orders: DocumentKind = {
  set: salesOrders,
  lineSet: salesOrderLines,
  table: 'salesOrders',
  lines: 'salesOrderLines',
  series: 'salesOrders',
  word: 'Order',
  documentDate: 'orderDate',
};

export const invoices: DocumentKind = {
  set: salesInvoices,
  lineSet: salesInvoiceLines,
  table: 'salesInvoices',
  lines: 'salesInvoiceLines',
  series: 'draftInvoices',
  word: 'Invoice',
  documentDate: 'invoiceDate',
};

/** The kind of document that a table holds, or whose lines it holds. */
export function kindOfTable(table: string): DocumentKind | undefined {
  return [orders, invoices].find((kind) => kind.table === table || kind.lines === table);
}

/** Whether a document still is the draft that its fields can be changed in freely. */
export function isDraft(row: Row): boolean {
  return row.posted !== true && textOf(row, 'status') === 'Draft';
}
