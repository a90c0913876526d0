import { isJsonArray, isJsonObject, ownMember, type JsonObject, type StoredEntityType } from '@app/mapper';
import { salesInvoices, salesOrders } from './document-pages';
import { customerPayments, customers, projects } from './master-pages';
import type { DocumentPage, Page } from './page';

/** The page of each type. */
export const pages: Readonly<Record<StoredEntityType, Page>> = {
  project: projects,
  customer: customers,
  contract: salesOrders,
  invoice: salesInvoices,
  payment: customerPayments,
};

/** The page of a type with lines; undefined for other types. */
export function documentPage(entityType: StoredEntityType): DocumentPage | undefined {
  if (entityType === 'contract') return salesOrders;
  return entityType === 'invoice' ? salesInvoices : undefined;
}

/** The lines of a record; empty for a type without lines. */
export function linesIn(entityType: StoredEntityType, record: JsonObject): readonly JsonObject[] {
  const page = documentPage(entityType);
  const lines = page && ownMember(record, page.lines);
  return isJsonArray(lines) ? lines.filter(isJsonObject) : [];
}
