import type { StoredEntityType } from '@app/mapper';
import { salesInvoices, salesOrders } from './document-pages';
import { customerPayments, customers, projects } from './master-pages';
import type { DocumentPage, Page } from './page';

/** The page that shows each type. */
export const pages: Readonly<Record<StoredEntityType, Page>> = {
  project: projects,
  customer: customers,
  contract: salesOrders,
  invoice: salesInvoices,
  payment: customerPayments,
};

/** The page of a type that has lines; undefined for the others. */
export function documentPage(entityType: StoredEntityType): DocumentPage | undefined {
  if (entityType === 'contract') return salesOrders;
  return entityType === 'invoice' ? salesInvoices : undefined;
}
