import { salesInvoiceLines, salesInvoices, salesOrderLines, salesOrders } from './document-pages';
import type { EntitySet } from './entity-set';
import {
  customerPaymentJournals,
  customerPayments,
  customers,
  journals,
  paymentsWithCurrency,
  projects,
  referenceSets,
} from './master-pages';

/** The publisher of a page: the platform, or the customer. */
export type Route = 'standard' | 'custom';

const byName = (sets: readonly EntitySet[]): ReadonlyMap<string, EntitySet> =>
  new Map(sets.map((set) => [set.name, set]));

/** The pages of each route. The custom route has only the custom page, not the standard pages. */
export const pages: Readonly<Record<Route, ReadonlyMap<string, EntitySet>>> = {
  standard: byName([
    customers,
    projects,
    salesOrders,
    salesOrderLines,
    salesInvoices,
    salesInvoiceLines,
    customerPaymentJournals,
    customerPayments,
    journals,
    ...referenceSets,
  ]),
  custom: byName([paymentsWithCurrency]),
};
